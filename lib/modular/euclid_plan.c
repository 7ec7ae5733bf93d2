/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Chooses programs and launch sizes for gcds, inverses and quotients of batches. */
#include "lib/modular/euclid_plan.h"

#include "kernels/modular/divide.h"
#include "kernels/modular/euclid.h"
#include "kernels/modular/modular.h"
#include "lib/base/ceil_div.h"
#include "lib/base/min.h"

/* The most work-items that share a number of an inverse, if each holds 20 digits. Up to 32
 * work-items exchange digits without local memory. For longer numbers, each work-item holds 40
 * digits of each of an inverse's five numbers in registers. */
#define INVERSE_MOST_TEAM 32

uint64_t euclid_piece_bytes = 256 << 20;

static uint32_t digits_of(uint32_t words, uint32_t more_bits) {
    return ceil_div(32 * (uint64_t)words + more_bits, DIGIT_BITS);
}

static struct euclid_plan team_of(unsigned digits, uint32_t need) {
    struct euclid_plan plan = {digits, 1};
    while (plan.team * digits < need)
        plan.team *= 2;
    return plan;
}

uint32_t euclid_newton_least = 514;

bool euclid_is_by_newton(const struct euclid_operation *op) {
    return op->kind == EUCLID_DIVIDE && op->words >= euclid_newton_least && !op->by_words;
}

bool euclid_has_team(const struct euclid_operation *op) {
    return op->kind != EUCLID_DIVIDE && euclid_plan(op).team > 1;
}

struct euclid_plan euclid_plan(const struct euclid_operation *op) {
    uint32_t need = digits_of(op->words, EUCLID_MORE_BITS);
    uint32_t most_of_20 = op->kind == EUCLID_INVERSE ? 20 * INVERSE_MOST_TEAM : 20;
    return team_of(need <= 10 ? 10 : need <= most_of_20 ? 20 : 40, need);
}

static enum gpu_program divide_program(const struct euclid_operation *op) {
    unsigned words = MODULAR_LEAST_WORDS, program = GPU_PROGRAM_batch_divide_8;
    if (euclid_is_by_newton(op))
        return GPU_PROGRAM_batch_quotient;
    for (; words < op->words; words *= 2)
        program++;
    return program;
}

enum gpu_program euclid_program(const struct euclid_operation *op) {
    unsigned digits = euclid_plan(op).digits;
    if (op->kind == EUCLID_DIVIDE)
        return divide_program(op);
    return digits == 10   ? GPU_PROGRAM_batch_gcd_10
           : digits == 20 ? GPU_PROGRAM_batch_gcd_20
                          : GPU_PROGRAM_batch_gcd_40;
}

struct launch_groups euclid_groups(const struct context *s, struct euclid_plan plan,
                                   uint64_t count) {
    if (s->dev.caps.simd) /* a CPU: one work-item computes each number */
        return launch_row(count);
    return launch_row(ceil_div(count, EUCLID_THREADS_OF(plan.digits) / plan.team));
}

/* Returns the number of jumps (28 division steps of Bernstein and Yang each) after which a gcd is
 * certainly found. (49 d + 80) / 17 steps suffice for d bits. One more jump for each work-item of a
 * number allows carries and zeros to pass through all of them. */
uint32_t euclid_most_jumps(const struct euclid_operation *op) {
    uint32_t steps = (uint32_t)ceil_div(49 * 32 * (uint64_t)op->words + 80, 17);
    return (uint32_t)ceil_div(steps, DIGIT_BITS) + euclid_plan(op).team + 1;
}

uint64_t euclid_at_once(const struct euclid_operation *op, uint64_t bytes) {
    return min_u64(op->count, bytes > euclid_piece_bytes ? 1 : euclid_piece_bytes / bytes);
}
