/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which program makes a gcd, an inverse or a quotient, and with how many work-items a number. */
#ifndef MPGPU_EUCLID_PLAN_H
#define MPGPU_EUCLID_PLAN_H

#include "gpu/gpu.h"
#include "lib/device/launch.h"
#include "lib/modular/euclid.h"

/* Whether it is a quotient by kernels/modular/divide.cl, whose programs are modular_program's and
 * which has no digits. */
bool euclid_is_by_words(const struct euclid_operation *op);

/* Of all others: digits a work-item (kernels/modular/euclid.h), which say the program, and
 * work-items a number. */
struct euclid_plan {
    unsigned digits;
    uint32_t team;
};

struct euclid_plan euclid_plan(const struct euclid_operation *op);

/* Whether more than one work-item share the digits of a number. */
bool euclid_has_team(const struct euclid_operation *op);

enum gpu_program euclid_program(const struct euclid_operation *op);

/* Groups for so many numbers. */
struct launch_groups euclid_groups(const struct context *s, struct euclid_plan plan,
                                   uint64_t count);

/* Jumps that are enough for a gcd. */
uint32_t euclid_most_jumps(const struct euclid_operation *op);

/* Digits that a quotient may have. */
uint32_t euclid_quotient_digits(uint32_t u_words);

/* Numbers whose `bytes` each, beside the operands, are in memory at once. */
uint64_t euclid_at_once(const struct euclid_operation *op, uint64_t bytes);

#endif
