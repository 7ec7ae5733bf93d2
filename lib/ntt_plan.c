/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How a product is cut into transforms.
 *
 * Bound.  A coefficient of the product of a piece of a and a part of b digits is a
 * sum of at most min(a, b) products of two digits below 2^64, and is right if it
 * is below the product of the primes: min(a, b) <= PRIMES_MAX_TERMS.  All lengths
 * are at most 2^25 digits, a + b never exceeds the length, so min(a, b) <= 2^24.
 * No coefficient wraps round: the product has a + b - 1 of them. */
#include "ntt_plan.h"
#include "../kernels/primes.h"

_Static_assert(1u << (NTT_MAX_LOG - 1) <= PRIMES_MAX_TERMS, "coefficients fit the primes");
_Static_assert(NTT_MAX_LOG <= PRIMES_LOG_ORDER, "roots of unity of that order exist");

static unsigned log_ceil(unsigned branches) {
    unsigned log = 0;
    while (1u << log < branches)
        log++;
    return log;
}

int ntt_length_init(struct ntt_length *l, unsigned log_m, unsigned branches) {
    if (log_m < NTT_MIN_LOG || log_m + log_ceil(branches) > NTT_MAX_LOG)
        return 0;
    unsigned last = log_m < 17 ? 8 : 12, above = log_m - last;
    l->log_m = log_m;
    l->branches = branches;
    l->root = 0;
    l->passes = above <= 10 ? 2 : 3;
    l->log_r[0] = above <= 10 ? above : above / 2;
    l->log_r[1] = above - l->log_r[0];
    l->log_r[l->passes - 1] = last;
    return 1;
}

/* The time of one transform in some unit: its points times its trips through
 * memory; more branches read the operand, and are read, once each. */
static double length_cost(const struct ntt_length *l) {
    return (double)ntt_length_digits(l) * (l->passes + 0.25 * l->branches);
}

double ntt_plan_cost(const struct ntt_plan *plan) {
    return (double)plan->parts * (1 + 2 * (double)plan->pieces) * length_cost(&plan->length);
}

/* Fit a plan to a length: parts of v as long as half the length or as v, pieces of
 * u that fill it.  Pieces are no shorter than parts, so that the products of every
 * second piece do not overlap.  Returns its cost, 0 if the length is too short. */
static double plan_fit(struct ntt_plan *plan, const struct ntt_length *l, uint64_t un,
                       uint64_t vn) {
    uint64_t n = ntt_length_digits(l);
    plan->length = *l;
    if (un + vn <= n) {
        plan->part_v = vn;
        plan->piece_u = un;
        plan->parts = plan->pieces = 1;
    } else {
        plan->part_v = vn <= n / 2 ? vn : n / 2;
        plan->piece_u = (n - plan->part_v) / NTT_ALIGN_DIGITS * NTT_ALIGN_DIGITS;
        plan->parts = (vn + plan->part_v - 1) / plan->part_v;
        plan->pieces = (un + plan->piece_u - 1) / plan->piece_u;
    }
    if (plan->piece_u < plan->part_v)
        return 0;
    return ntt_plan_cost(plan);
}

int ntt_plan_init(struct ntt_plan *plan, uint64_t un, uint64_t vn, uint64_t max_digits) {
    static const unsigned branches[] = {1, 3};
    double best = 0;
    for (unsigned log_m = NTT_MIN_LOG; log_m <= NTT_MAX_LOG; log_m++)
        for (unsigned i = 0; i < sizeof branches / sizeof *branches; i++) {
            struct ntt_length l;
            struct ntt_plan candidate;
            if (!ntt_length_init(&l, log_m, branches[i]) || ntt_length_digits(&l) > max_digits)
                continue;
            double cost = plan_fit(&candidate, &l, un, vn);
            if (cost > 0 && (best == 0 || cost < best)) {
                best = cost;
                *plan = candidate;
            }
        }
    return best > 0;
}
