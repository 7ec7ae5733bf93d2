/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Plans products by the method of Schoenhage and Strassen: cuts operands into N coefficients
 * modulo B^P + 1, where B = 2^24 and P is a power of two.
 *
 * Roots. The square root of two has order 96 P (kernels/ssa/ssa_shift.h). So there are roots of
 * order N if N <= 32 P. Products modulo x^N + 1 need weights, which are roots of order 2N, so
 * they need 2N <= 32 P. If N divides 2P, the root of order N is a power of B: multiplication by
 * it moves whole words.
 *
 * Columns. A pass of R = 2^log_r coefficients combines digits that are 2P / R apart. A work-group
 * processes C adjacent digits of each coefficient and the digits combined with them. So R C <=
 * 2P.
 *
 * Digits. A pass loads digits of at most SSA_LOADED in magnitude, and reduces them to SSA_SETTLED
 * while it shifts them. Then it adds up R of them. Since log_r <= 5, the sums are at most
 * SSA_LOADED again (kernels/ssa/ssa.cl). The first pass loads the operands' digits, which are
 * below B. Products of coefficients have digits of at most B + 2^11 + 1
 * (kernels/ssa/ssa_point.cl).
 *
 * Coefficients of a whole product. The product has at most N coefficients, so none wraps around.
 * Each is a sum of at most N products of two numbers of `bits` bits. So it is below 2^(2 * bits +
 * log_n) <= 2^(24 P - 1), and cannot be confused with B^P, which is -1.
 *
 * Coefficients modulo x^N + 1. Some products are subtracted in a coefficient. Let k = bits +
 * log_n + 1. The added constant 2^k (2^bits - 1) makes the coefficient positive, and less than
 * 2^(k + bits + 1) <= 2^(24 P - 1). All these constants add up to 2^k (2^(N bits) - 1). With 2^(k
 * + 1) more in the first coefficient, the sum is 2^k (2^(N bits) + 1), which is 0 modulo 2^(N
 * bits) + 1. */
#include "lib/multiply/ssa_plan.h"

#include "lib/base/ceil_div.h"

#include "kernels/ssa/ssa.h"
#include "kernels/ssa/ssa_shift.h"
#include "kernels/sums/redundant.h"

_Static_assert(SSA_LOADED < ((int64_t)1 << 31) - (1 << 23), "loaded digits can be resolved");
_Static_assert(SSA_LOADED >= 32 * SSA_SETTLED, "a pass leaves what another may load");

bool ssa_plan_shape(struct ssa_plan *plan, unsigned log_n, unsigned log_p) {
    if (log_n < SSA_MIN_LOG_N || log_n > SSA_MAX_LOG_N || log_p < SSA_MIN_LOG_P ||
        log_p > SSA_MAX_LOG_P || log_n > log_p + 5)
        return false;
    *plan = (struct ssa_plan){.log_n = log_n, .log_p = log_p};
    plan->passes = (log_n + 4) / 5;
    for (unsigned i = 0; i < plan->passes; i++)
        plan->log_r[i] = (log_n + plan->passes - 1 - i) / plan->passes;
    return true;
}

uint64_t ssa_plan_bytes(const struct ssa_plan *plan) {
    return (uint64_t)sizeof(uint32_t) << (plan->log_n + plan->log_p);
}

uint64_t ssa_plan_fill(struct ssa_plan *plan) {
    plan->bits = ((24u << plan->log_p) - 1 - plan->log_n) / 2;
    return ((uint64_t)plan->bits << (plan->log_n - 1)) / 32;
}

bool ssa_plan_wrap(struct ssa_plan *plan, uint64_t words, enum ssa_modulus ring) {
    uint64_t bits = 32 * words >> plan->log_n, most = (UINT64_C(24) << plan->log_p) - 1;
    if (bits << plan->log_n != 32 * words || bits % 64 || bits > most / 2)
        return false;
    plan->bits = (unsigned)bits;
    plan->ring = ring;
    plan->bottom = ring == SSA_PLUS ? plan->bits + plan->log_n + 1 : 0;
    plan->top = ring == SSA_PLUS ? plan->bottom + plan->bits : 0;
    return ring == SSA_PLUS ? plan->log_n < plan->log_p + 5 && plan->top + 1 <= most
                            : 2 * plan->bits + plan->log_n <= most;
}

/* Returns the length in words of the sum of all coefficients. Each coefficient is below 2^(2 *
 * bits + log_n). For SSA_PLUS, an added constant makes coefficients positive; they are then below
 * 2^(plan->top + 1). */
uint64_t ssa_plan_mulmod_words(const struct ssa_plan *plan) {
    uint64_t most = plan->ring == SSA_PLUS ? plan->top + 1 : 2 * plan->bits + plan->log_n;
    uint64_t bits = ((uint64_t)plan->bits << plan->log_n) - plan->bits + most + 1;
    return bits / 32 + 1;
}

/* Times for a million digits, measured on an H200 in microseconds (doc/measurements/ssa.md).
 * pass_cost: a pass of 3, 4 or 5 levels. point_cost: the products of coefficients. level_cost: a
 * level of the transforms inside these products. end_cost: the final steps. launch_cost: a
 * launch. */
static const double pass_cost[] = {2.3, 2.9, 3.9}, point_cost = 2, level_cost = 1.8, end_cost = 10,
                    launch_cost = 3;

double ssa_plan_cost(const struct ssa_plan *plan) {
    double digits = (double)(ssa_plan_bytes(plan) / sizeof(uint32_t)) * 1e-6;
    double transform = launch_cost * plan->passes;
    for (unsigned i = 0; i < plan->passes; i++)
        transform += pass_cost[plan->log_r[i] - 3] * digits;
    return 3 * transform + 4 * launch_cost +
           (point_cost + level_cost * plan->log_p + end_cost) * digits;
}

static bool has_room(const struct ssa_plan *plan, uint64_t room, uint64_t largest) {
    uint64_t bytes = ssa_plan_bytes(plan);
    return bytes <= largest && SSA_TRANSFORMS * bytes <= room;
}

/* A product to plan: its sizes, and the modulus if there is one. */
struct task {
    /* words of both operands; un is the length of the modulus if there is one */
    uint64_t un, vn;
    enum ssa_modulus ring;
};

static uint64_t pieces(uint64_t words, unsigned bits) {
    return ceil_div(32 * words, bits);
}

static bool suits(struct ssa_plan *plan, const struct task *t) {
    if (t->ring != SSA_FULL)
        return ssa_plan_wrap(plan, t->un, t->ring);
    ssa_plan_fill(plan);
    return pieces(t->un, plan->bits) + pieces(t->vn, plan->bits) - 1 <= (uint64_t)1 << plan->log_n;
}

static bool cheapest(struct ssa_plan *plan, const struct task *t, uint64_t room, uint64_t largest) {
    struct ssa_plan candidate;
    double best = 0;
    for (unsigned log_p = SSA_MIN_LOG_P; log_p <= SSA_MAX_LOG_P; log_p++)
        for (unsigned log_n = SSA_MIN_LOG_N; log_n <= SSA_MAX_LOG_N; log_n++) {
            if (!ssa_plan_shape(&candidate, log_n, log_p) || !suits(&candidate, t) ||
                !has_room(&candidate, room, largest))
                continue;
            double cost = ssa_plan_cost(&candidate);
            if (best > 0 && best <= cost)
                continue;
            best = cost;
            *plan = candidate;
        }
    return best > 0;
}

bool ssa_plan_init(struct ssa_plan *plan, uint64_t un, uint64_t vn, uint64_t room,
                   uint64_t largest) {
    const struct task t = {un, vn, SSA_FULL};
    return vn >= SSA_MIN_WORDS && un < (uint64_t)1 << 32 && cheapest(plan, &t, room, largest);
}

bool ssa_plan_init_mulmod(struct ssa_plan *plan, uint64_t words, enum ssa_modulus ring,
                          uint64_t room, uint64_t largest) {
    const struct task t = {words, 0, ring};
    return words >= SSA_MIN_WORDS && words < (uint64_t)1 << 32 && cheapest(plan, &t, room, largest);
}
