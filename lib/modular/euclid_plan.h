/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which program computes a gcd, an inverse or a quotient, and with how many work-items for a
 * number. */
#ifndef MPGPU_EUCLID_PLAN_H
#define MPGPU_EUCLID_PLAN_H

#include "gpu/gpu.h"
#include "lib/device/launch.h"
#include "lib/modular/euclid.h"

/* Returns true for quotients by kernels/modular/divide.cl, whose programs are modular_program's,
 * and which has no digits. */
bool euclid_is_by_words(const struct euclid_operation *op);

/* The plan for all other operations: digits of a work-item (kernels/modular/euclid.h), which
 * determine the program, and work-items for a number. */
struct euclid_plan {
    unsigned digits;
    uint32_t team;
};

struct euclid_plan euclid_plan(const struct euclid_operation *op);

/* Returns true if several work-items share the digits of a number. */
bool euclid_has_team(const struct euclid_operation *op);

enum gpu_program euclid_program(const struct euclid_operation *op);

/* Returns the groups for `count` numbers. */
struct launch_groups euclid_groups(const struct context *s, struct euclid_plan plan,
                                   uint64_t count);

/* Returns a number of jumps that is enough for a gcd. */
uint32_t euclid_most_jumps(const struct euclid_operation *op);

/* Returns the most digits of a quotient. */
uint32_t euclid_quotient_digits(uint32_t u_words);

/* Returns how many numbers are in memory at once, if each needs `bytes` besides the operands. */
uint64_t euclid_at_once(const struct euclid_operation *op, uint64_t bytes);

#endif
