/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division: what the host does, and the device's part. */
#include "lib/operate/operate_divide.h"

#include "lib/base/ceil_div.h"
#include "lib/base/min.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_divide.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/operate/composition.h"
#include "lib/operate/first_reciprocal.h"

enum { QUAD_LIMBS = 2, QUAD_BITS = 128 };

/* What the device's part is given: results go to q and r; of the divisor's reciprocal it has the
 * first approximation. */
struct work {
    struct operate_division d;
    uint64_t n_bits, d_bits;
    mp_ptr q, r;
    const mp_limb_t *first;
    uint64_t first_quads;
    bool is_less, is_exact;
};

static uint64_t quads_of(uint64_t bits) {
    return ceil_div(bits, QUAD_BITS);
}

/* The quads of a numerator in place; two bits more keep its highest quads below the divisor. */
static uint64_t numerator_quads(const struct work *k, const struct calc_divisor *by) {
    return quads_of(k->n_bits + (uint64_t)by->shift + 2);
}

/* The divisor with what follows from its size; the numerator's quotient has qn quads. */
static struct calc_divisor divisor_plan(const struct work *k) {
    struct calc_divisor by = {.shift = (int64_t)(QUAD_BITS * quads_of(k->d_bits) - k->d_bits)};
    return calc_divisor_plan(k->d_bits, numerator_quads(k, &by) - quads_of(k->d_bits));
}

static void compare(struct calc *c, struct work *k, struct number q, struct number r) {
    if (k->d.is_less)
        k->is_less = calc_is_less(c, q, r);
    if (k->d.is_exact)
        k->is_exact = calc_is_less(c, r, calc_one(c));
}

static void divide(struct calc *c, void *argument) {
    struct work *k = argument;
    const struct operate_division *d = &k->d;
    struct calc_divisor by = divisor_plan(k);
    uint64_t nq = numerator_quads(k, &by), qn = nq - by.n;
    struct number dividend =
        calc_operand_above(c, d->np, d->zeros, d->nn - d->zeros, calc_words(64 * d->nn + 1));
    struct number divisor = calc_operand(c, d->dp, d->dn, CALC_QUAD * by.n);
    struct number first = calc_upload(c, k->first, QUAD_LIMBS * (k->first_quads + 1),
                                      CALC_QUAD * (k->first_quads + 1));
    struct number q = calc_take(c, CALC_QUAD * qn), rest = calc_take(c, CALC_QUAD * nq);
    struct number r = calc_take(c, CALC_QUAD * by.n), low = number_part(rest, 0, r.words);
    calc_divisor_make(c, &by, divisor, first);
    calc_shift(c, rest, dividend, -by.shift, false);
    calc_divide(c, &by, q, rest);
    calc_shift(c, r, low, by.shift, false);
    calc_demand_less(c, r, divisor);
    calc_demand_rest(c, dividend, q, divisor, r);
    if (k->q)
        calc_download(c, k->q, q, min_u64(d->nn - d->dn + 1, QUAD_LIMBS * qn));
    if (k->r)
        calc_download(c, k->r, r, d->dn);
    compare(c, k, q, r);
}

static enum outcome run(struct work *k, const struct touch *touches, size_t count) {
    mp_limb_t first[FIRST_RECIPROCAL_LIMBS];
    struct calc_divisor by = divisor_plan(k);
    k->first_quads = calc_reciprocal_first(by.k);
    first_reciprocal(first, k->first_quads, k->d.dp, k->d.dn, 0);
    k->first = first;
    return composition_run_long(divide, k, sizeof *k, touches, count, 2 * QUAD_LIMBS * by.k);
}

/* The quotient's limbs that the device's number has not. */
static void finish(const struct work *k) {
    struct calc_divisor by = divisor_plan(k);
    size_t qn = k->d.nn - k->d.dn + 1;
    size_t have = min_u64(qn, QUAD_LIMBS * (numerator_quads(k, &by) - by.n));
    if (k->q)
        mpn_zero(k->q + have, (mp_size_t)(qn - have));
    if (k->d.is_less)
        *k->d.is_less = k->is_less;
    if (k->d.is_exact)
        *k->d.is_exact = k->is_exact;
}

enum outcome operate_divide(const struct operate_division *d) {
    const struct touch touches[] = {{d->np, (d->nn - d->zeros) * sizeof *d->np, false},
                                    {d->dp, d->dn * sizeof *d->dp, false},
                                    {d->qp, d->qp ? (d->nn - d->dn + 1) * sizeof *d->qp : 0, true},
                                    {d->rp, d->rp ? d->dn * sizeof *d->rp : 0, true}};
    const size_t count = sizeof touches / sizeof *touches;
    struct work k = {.d = *d,
                     .n_bits = 64 * d->zeros + first_reciprocal_bits(d->np, d->nn - d->zeros),
                     .d_bits = first_reciprocal_bits(d->dp, d->dn)};
    struct composition_result q, r = {NULL, NULL, 0};
    enum outcome outcome = OUTCOME_MEMORY;
    if (k.n_bits < k.d_bits)
        return OUTCOME_SMALL;
    if (composition_result_begin(&q, d->qp, d->nn - d->dn + 1, touches, count) &&
        composition_result_begin(&r, d->rp, d->dn, touches, count)) {
        k.q = composition_result_limbs(&q);
        k.r = composition_result_limbs(&r);
        outcome = run(&k, touches, count);
    }
    if (outcome == OUTCOME_DONE)
        finish(&k);
    composition_result_end(&q, outcome == OUTCOME_DONE);
    composition_result_end(&r, outcome == OUTCOME_DONE);
    return outcome;
}
