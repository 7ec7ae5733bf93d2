/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Chooses the program that computes a gcd, an inverse or a quotient of a batch, and how many
 * work-items share a number. */
#ifndef MPGPU_EUCLID_PLAN_H
#define MPGPU_EUCLID_PLAN_H

#include "gpu/gpu.h"
#include "lib/device/launch.h"
#include "lib/modular/euclid.h"

/* Returns true if quotients are computed by Newton's method (lib/modular/euclid_newton.h).
 * Otherwise they are computed word by word (kernels/modular/divide.cl). */
bool euclid_is_by_newton(const struct euclid_operation *op);

/* The least words of a divisor for which Newton's method is used, at most DIVIDE_MOST_WORDS + 2.
 * Tests change it before the device is opened. */
extern uint32_t euclid_newton_least;

/* Device memory in bytes for the intermediate results of one piece (some numbers of a batch). Tests
 * change it. */
extern uint64_t euclid_piece_bytes;

/* The plan for gcds and inverses (kernels/modular/euclid.h). `team` work-items share a number, and
 * each holds `digits` digits of 28 bits; `digits` determines the program. */
struct euclid_plan {
    unsigned digits;
    uint32_t team;
};

struct euclid_plan euclid_plan(const struct euclid_operation *op);

/* Returns true if several work-items share the digits of a number of a gcd or inverse. */
bool euclid_has_team(const struct euclid_operation *op);

enum gpu_program euclid_program(const struct euclid_operation *op);

/* Returns the size of a launch for `count` numbers. */
struct launch_groups euclid_groups(const struct context *s, struct euclid_plan plan,
                                   uint64_t count);

/* Returns how many jumps (28 steps of Bernstein and Yang each) are certainly enough for a gcd. */
uint32_t euclid_most_jumps(const struct euclid_operation *op);

/* Returns how many numbers of the batch are computed in one piece, if each needs `bytes` bytes of
 * memory in addition to its operands. */
uint64_t euclid_at_once(const struct euclid_operation *op, uint64_t bytes);

#endif
