/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division of limbs: first approximations of reciprocals, quotients without remainders, and
 * divisors that are used several times. */
#include "lib/algorithms/divide.h"

#include "lib/algorithms/scratch.h"
#include "lib/base/ceil_div.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/gmp/normalize.h"
#include "lib/operate/first_reciprocal.h"

enum { QUAD_LIMBS = 2 };

struct job divide_job(const struct division *d, mp_ptr first) {
    const uint64_t n_bits = 64 * d->zeros + normalize_bits(d->np, d->nn - d->zeros),
                   d_bits = normalize_bits(d->dp, d->dn);
    struct job job = {.op = JOB_tdiv_qr,
                      .operands = 3,
                      .results = 2,
                      .u = {job_limbs(d->np, d->nn - d->zeros), job_limbs(d->dp, d->dn)},
                      .r = {job_limbs(d->qp, d->nn - d->dn + 1), job_limbs(d->rp, d->dn)},
                      .parameter = {[JOB_ZEROS] = d->zeros,
                                    [JOB_NUMERATOR_BITS] =
                                        n_bits < d_bits ? d_bits : n_bits, /* pads the numerator */
                                    [JOB_DIVISOR_BITS] = d_bits,
                                    [JOB_WANTS] = (d->is_less ? JOB_IS_LESS : 0) |
                                                  (d->is_exact ? JOB_IS_EXACT : 0)}};
    const uint64_t k = job_divisor(&job).k;
    first_reciprocal(first, calc_reciprocal_first(k), d->dp, d->dn, 0);
    job.u[JOB_FIRST_OF_DIVISOR] = job_limbs(first, calc_reciprocal_first_limbs(k));
    return job;
}

bool divide_limbs(struct composite *w, const struct division *d) {
    mp_limb_t first[FIRST_RECIPROCAL_LIMBS];
    struct job job = divide_job(d, first);
    const bool is_small = thresholds_is_small(divide_size(d->nn, d->dn), &thresholds.div);
    if (!(is_small ? recipe_run_on_host(w, &job) : recipe_run(w, &job)))
        return false;
    if (d->is_less)
        *d->is_less = job.answer & JOB_IS_LESS;
    if (d->is_exact)
        *d->is_exact = job.answer & JOB_IS_EXACT;
    return true;
}

bool divide_qr(struct composite *w, mp_ptr qp, mp_ptr rp, mp_srcptr np, size_t nn, mp_srcptr dp,
               size_t dn) {
    const struct division d = {.qp = qp, .rp = rp, .np = np, .dp = dp, .nn = nn, .dn = dn};
    return divide_limbs(w, &d);
}

/* ---- quotients without remainders
 *
 * To find a quotient of qn limbs, the division leaves out the s lowest limbs of the divisor d and
 * of the numerator N. The highest qn + 2 limbs of the divisor remain.
 *
 * - B = 2^64 is the base.
 * - N = N' B^s + N0, and d = D B^s + d0. N0 and d0 are left out.
 * - q' and R are the quotient and the remainder of N' by D.
 *
 * From these definitions follows
 *
 *     (R - q') B^s < N - q' d = R B^s + N0 - q' d0 < (R+1) B^s <= d.
 *
 * So q' is the quotient of N by d if R >= q'. The remainder of N by d is not 0 if R > q'.
 *
 * The division also computes a guard: the first limb of the fraction R / D. If the guard is neither
 * 0 nor near B, then R / D >= 1/B, so R >= D / B >= B^qn > q'.
 *
 * If d divides N, with the quotient q, then N' = q D + (q d0 - N0) / B^s. The last term is an
 * integer from 0 to q - 1. So N' divided by D has the quotient q, too. */

/* Returns the number of the divisor's limbs on which a quotient of qn limbs depends. */
static size_t deciding_size(size_t qn, size_t dn) {
    return min_u64(qn + 2, dn);
}

enum certainty { NO_MEMORY, UNDECIDED, DECIDED };

/* Divides the highest limbs of the numerator by the divisor's highest limbs. q, the quotient, may
 * overlap the operands. Returns DECIDED if q is proven to be the quotient of the whole operands. */
static enum certainty quotient(struct composite *w, mp_ptr q, bool *exact, mp_srcptr np, size_t nn,
                               mp_srcptr dp, size_t dn) {
    size_t t = deciding_size(nn - dn + 1, dn), s = dn - t;
    bool is_less = true;
    *exact = false;
    const struct division d = {.qp = q,
                               .np = np + s,
                               .dp = dp + s,
                               .nn = nn - s,
                               .dn = t,
                               .is_less = s > 0 ? &is_less : NULL,
                               .is_exact = s > 0 ? NULL : exact};
    if (!divide_limbs(w, &d))
        return NO_MEMORY;
    return is_less ? DECIDED : UNDECIDED;
}

/* Computes the quotient together with the remainder, which decides *exact. */
static bool divide_fully(struct composite *w, mp_ptr qp, bool *exact, mp_srcptr np, size_t nn,
                         mp_srcptr dp, size_t dn) {
    mp_ptr rp = scratch_alloc(dn);
    bool done = rp && divide_qr(w, qp, rp, np, nn, dp, dn);
    if (done)
        *exact = mpn_zero_p(rp, (mp_size_t)dn);
    scratch_free(rp);
    return done;
}

bool divide_q(struct composite *w, mp_ptr qp, bool *exact, mp_srcptr np, size_t nn, mp_srcptr dp,
              size_t dn) {
    size_t qn = nn - dn + 1;
    if (deciding_size(qn, dn) == dn)
        return quotient(w, qp, exact, np, nn, dp, dn) != NO_MEMORY;
    mp_ptr q = scratch_alloc(qn); /* a copy, since qp may overlap operands that divide_fully needs
                                   */
    if (!q)
        return false;
    enum certainty certainty = quotient(w, q, exact, np, nn, dp, dn);
    if (certainty == DECIDED)
        mpn_copyi(qp, q, (mp_size_t)qn);
    scratch_free(q);
    return certainty == UNDECIDED ? divide_fully(w, qp, exact, np, nn, dp, dn)
                                  : certainty == DECIDED;
}

bool divide_exact(struct composite *w, mp_ptr qp, mp_srcptr np, size_t nn, mp_srcptr dp,
                  size_t dn) {
    bool exact;
    return quotient(w, qp, &exact, np, nn, dp, dn) != NO_MEMORY;
}

/* ---- divisors */

/* Returns the length, in quads of 128 bits, of a buffer for the shifted numerator, and later for
 * the remainder. The buffer has CALC_LAZY_BITS + 2 more bits than the numerator, so that the
 * numerator's highest quads are below the divisor. */
static uint64_t rest_quads(const struct divisor *v) {
    return ceil_div(64 * v->now.nn + (uint64_t)v->by.shift + CALC_LAZY_BITS + 2, CALC_QUAD_BITS);
}

static void make(struct calc *c, void *argument) {
    struct divisor *v = argument;
    uint64_t limbs = calc_reciprocal_first_limbs(v->by.k);
    struct number d = calc_upload(c, v->dp, v->dn, CALC_QUAD * v->by.n);
    calc_divisor_make(c, &v->by, d, calc_upload(c, v->first, limbs, 2 * limbs));
}

static void divide_once(struct calc *c, struct divisor *v) {
    const struct divisor_numbers *k = &v->now;
    uint64_t mark = calc_mark(c), nq = rest_quads(v), n = v->by.n;
    struct number numerator = calc_upload(c, k->np, k->nn, calc_words(64 * k->nn));
    struct number rest = calc_take(c, CALC_QUAD * nq), q = calc_take(c, CALC_QUAD * (nq - n));
    struct number r = calc_take(c, CALC_QUAD * n);
    size_t qn = k->nn - v->dn + 1, have = min_u64(qn, QUAD_LIMBS * (nq - n));
    calc_shift(c, rest, numerator, -v->by.shift, false);
    /* While memory is planned, also plans the division of a number twice as long as the divisor:
     * its products may need more memory than those of the actual division. */
    if (c->is_planning)
        calc_divide(c, &v->by, calc_quads(q, 0, n), calc_quads(rest, 0, 2 * n));
    calc_divide(c, &v->by, q, rest);
    calc_shift(c, r, number_part(rest, 0, r.words), v->by.shift, false);
    if (k->qp)
        calc_download(c, k->qp, q, have);
    if (k->qp && !c->is_planning)
        mpn_zero(k->qp + have, (mp_size_t)(qn - have));
    if (k->rp)
        calc_download(c, k->rp, r, v->dn);
    calc_drop(c, mark);
}

static void make_and_divide(struct calc *c, void *argument) {
    make(c, argument);
    divide_once(c, argument);
}

bool divisor_open(struct divisor *v, struct composite *w, mp_srcptr dp, size_t dn, size_t most) {
    mp_limb_t first[FIRST_RECIPROCAL_LIMBS];
    *v = (struct divisor){.dp = dp, .dn = dn, .first = first, .now = {.nn = most}};
    v->by = calc_modulus_plan(normalize_bits(dp, dn));
    first_reciprocal(first, calc_reciprocal_first(v->by.k), dp, dn, CALC_LAZY_BITS);
    if (!recipe_open(&v->host, w, make_and_divide, v))
        return false;
    calc_run_on_host(&v->host, make, v);
    v->first = NULL;
    return true;
}

void divisor_close(struct divisor *v) {
    recipe_close(&v->host);
}

void divisor_qr(struct divisor *v, mp_ptr qp, mp_ptr rp, mp_srcptr np, size_t nn) {
    v->now = (struct divisor_numbers){qp, rp, np, nn};
    divide_once(&v->host, v);
}
