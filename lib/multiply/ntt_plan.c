/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Plans products by number-theoretic transforms: how operands are cut into pieces (of u) and parts
 * (of v).
 *
 * Bounds. Consider the product of a piece of a digits and a part of b digits. A coefficient is a
 * sum of at most min(a, b) products of two digits below 2^64. It is exact if there are at most
 * PRIMES_MAX_TERMS products. a + b never exceeds the transforms' length, at most 2^25, so min(a, b)
 * is at most 2^24. If v has several parts, pieces and parts have half the digits of the transforms,
 * and up to `terms` products are added before an inverse transform. `terms` times half the length
 * is at most PRIMES_MAX_TERMS, and `terms` is at least 2. No coefficient wraps around: a product
 * has only a + b - 1 coefficients.
 *
 * Two rings. A length may be n + m digits, computed modulo x^n + 1 and modulo x^m - 1, where m
 * divides n. Both polynomials are coprime: if x^m is 1, then x^n is 1, and 1 + 1 is not 0 modulo
 * any of the primes. n is at most 2^24, because roots of -1 of that order must exist. m is at most
 * n / 2, so n + m is at most 2^25. */
#include "lib/multiply/ntt_plan.h"

#include "kernels/common/primes.h"
#include "lib/base/ceil_div.h"
#include "lib/base/min.h"

_Static_assert(1u << (NTT_MAX_LOG - 1) <= PRIMES_MAX_TERMS / 2, "coefficients fit the primes");
_Static_assert(NTT_MAX_LOG <= PRIMES_LOG_ORDER, "roots of unity of that order exist");

/* bytes of memory for each digit of a product that is added to earlier products */
#define SUM_BYTES 8

bool ntt_ring_init(struct ntt_ring *r, unsigned log_m, unsigned root) {
    if (log_m < NTT_MIN_LOG || log_m + root > NTT_MAX_LOG)
        return false;
    unsigned last = log_m < 17 ? 8 : 12, above = log_m - last;
    r->log_m = log_m;
    r->root = root;
    r->passes = above <= 10 ? 2 : 3;
    r->log_r[0] = above <= 10 ? above : above / 2;
    r->log_r[1] = above - r->log_r[0];
    r->log_r[r->passes - 1] = last;
    return true;
}

bool ntt_length_init(struct ntt_length *l, unsigned log_n, unsigned below) {
    l->rings = below == 0 ? 1 : 2;
    return ntt_ring_init(&l->ring[0], log_n, below != 0) &&
           (below == 0 || (below <= log_n && ntt_ring_init(&l->ring[1], log_n - below, 0)));
}

/* Times for a million digits, measured on an H200 in microseconds (doc/measurements/transforms.md).
 * level_cost: a level of a transform, modulo five primes. fold_cost: reading an operand into the
 * shorter of two rings. end_cost: the addition of coefficients. join_cost: joining the results of
 * two rings before this addition. product_cost: a point-wise product that is added to others.
 * add_cost: the addition of two numbers. */
static const double level_cost = 1.5, fold_cost = 3.5, end_cost = 10, join_cost = 4,
                    product_cost = 11, add_cost = 3;

static double million(uint64_t digits) {
    return (double)digits * 1e-6;
}

/* Returns the cost of all levels of a transform or an inverse transform, with their launches. */
static double transform_cost(const struct ntt_length *l, double launch) {
    double cost = 0;
    for (unsigned i = 0; i < l->rings; i++)
        cost += l->ring[i].passes * launch +
                million(ntt_ring_digits(&l->ring[i])) * l->ring[i].log_m * level_cost;
    return cost;
}

/* Returns the cost of computing the transform of a number. */
static double forward_cost(const struct ntt_length *l, double launch) {
    double fold = l->rings == 1 ? 0 : fold_cost * million(ntt_length_digits(l));
    return transform_cost(l, launch) + fold;
}

/* Returns the cost of computing a number from its transform. Does not count the launches of the
 * point-wise pass, which also computes the first inverse pass. */
static double inverse_cost(const struct ntt_length *l, double launch) {
    double joint = l->rings == 1 ? 0 : launch + join_cost * million(ntt_length_digits(l));
    return transform_cost(l, launch) + (2 - (double)l->rings) * launch + joint +
           end_cost * million(ntt_length_digits(l));
}

static double sum_cost(const struct ntt_length *l, double launch) {
    return 2 * launch + add_cost * million(ntt_length_digits(l));
}

/* Returns the sum of ceil(i / t) for i from 1 to n. */
static double rounded_up(uint64_t n, unsigned t) {
    double whole = (double)(n / t), rest = (double)(n % t);
    return t * whole * (whole + 1) / 2 + rest * (whole + 1);
}

/* Returns the number of inverse transforms for the products of `kept` parts by all pieces. Products
 * that begin at the same digit form a diagonal, and one inverse transform serves up to `terms` of
 * them. The first and last diagonals have fewer products. */
static double inverses(uint64_t kept, uint64_t pieces, unsigned terms) {
    uint64_t most = kept < pieces ? kept : pieces, least = kept + pieces - most;
    return 2 * rounded_up(most - 1, terms) +
           (double)(least - most + 1) * (double)ceil_div(most, terms);
}

double ntt_plan_cost(const struct ntt_plan *plan, const struct ntt_device *device) {
    const struct ntt_length *l = &plan->length;
    double forward = forward_cost(l, device->launch), inverse = inverse_cost(l, device->launch);
    double sum = sum_cost(l, device->launch);
    double parts = (double)plan->parts, pieces = (double)plan->pieces;
    if (plan->parts == 1)
        return forward + pieces * (forward + inverse) + (pieces - 1) * sum;
    double batches = (double)ceil_div(plan->parts, plan->kept);
    double ways = batches * inverses(plan->kept, plan->pieces, plan->terms);
    return (parts + batches * pieces) * forward +
           ways * (inverse + l->rings * device->launch + sum) +
           parts * pieces * product_cost * million(ntt_length_digits(l));
}

uint64_t ntt_plan_bytes(const struct ntt_plan *plan) {
    uint64_t digits = ntt_length_digits(&plan->length);
    uint64_t transforms = 1 + plan->kept + (plan->parts > 1 ? plan->kept : 0);
    uint64_t sums = plan->parts * plan->pieces > 1 ? digits * SUM_BYTES + 16 : 0;
    return transforms * digits * NTT_DIGIT_RESIDUES + sums;
}

/* Sets plan->kept to the number of parts whose transforms fit into memory at the same time. Returns
 * false if there is not enough memory for one. */
static bool keep_parts(struct ntt_plan *plan, const struct ntt_device *device) {
    uint64_t digits = ntt_length_digits(&plan->length);
    uint64_t transform = digits * NTT_DIGIT_RESIDUES;
    plan->kept = 1;
    if (transform > device->largest || ntt_plan_bytes(plan) > device->bytes)
        return false;
    if (plan->parts == 1)
        return true;
    uint64_t more = (device->bytes - ntt_plan_bytes(plan)) / (2 * transform);
    plan->kept = min_u64(plan->parts, min_u64(1 + more, device->largest / transform));
    return true;
}

/* Cuts the operands for a given length of transforms. With `halves`, both are cut into pieces of
 * half the length. Otherwise only u is cut, into pieces whose product with v fits the length. */
static void cut(struct ntt_plan *plan, uint64_t un, uint64_t vn, int halves) {
    uint64_t n = ntt_length_digits(&plan->length);
    plan->part_v = vn;
    plan->piece_u = un;
    if (halves)
        plan->part_v = plan->piece_u = n / 2;
    else if (un + vn > n)
        plan->piece_u = (n - vn) / NTT_ALIGN_DIGITS * NTT_ALIGN_DIGITS;
    plan->parts = ceil_div(vn, plan->part_v);
    plan->pieces = ceil_div(un, plan->piece_u);
    plan->terms = (unsigned)(PRIMES_MAX_TERMS / min_u64(plan->part_v, plan->piece_u));
}

/* Plans the product with this length. If that costs less than *best, or *best is 0, sets *plan to
 * this plan and *best to its cost. */
static void consider(struct ntt_plan *plan, double *best, const struct ntt_length *l, uint64_t un,
                     uint64_t vn, const struct ntt_device *device) {
    uint64_t n = ntt_length_digits(l);
    for (int halves = 0; halves < 2; halves++) {
        struct ntt_plan candidate = {.length = *l};
        if (halves ? vn <= n / 2 : vn + NTT_ALIGN_DIGITS > n && un + vn > n)
            continue;
        cut(&candidate, un, vn, halves);
        if (!keep_parts(&candidate, device))
            continue;
        double cost = ntt_plan_cost(&candidate, device);
        if (*best == 0 || cost < *best) {
            *best = cost;
            *plan = candidate;
        }
    }
}

bool ntt_plan_init(struct ntt_plan *plan, uint64_t un, uint64_t vn,
                   const struct ntt_device *device) {
    double best = 0;
    struct ntt_length l;
    for (unsigned log_n = NTT_MIN_LOG; log_n <= NTT_MAX_LOG; log_n++)
        for (unsigned below = 0; below <= NTT_MAX_BELOW; below++)
            if (ntt_length_init(&l, log_n, below) && ntt_length_digits(&l) <= device->digits)
                consider(plan, &best, &l, un, vn, device);
    return best > 0;
}
