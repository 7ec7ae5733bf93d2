/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The recipe (the function that computes a job on the device) of division. It multiplies by the
 * divisor's reciprocal. */
#include "lib/base/ceil_div.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/job/job.h"

static uint64_t quads_of(uint64_t bits) {
    return ceil_div(bits, CALC_QUAD_BITS);
}

/* Returns the quads (units of 128 bits) of the shifted numerator. Two extra zero bits at the top
 * keep the numerator's highest quads below the divisor. */
static uint64_t numerator_quads(const struct job *j, int64_t shift) {
    return quads_of(j->parameter[JOB_NUMERATOR_BITS] + (uint64_t)shift + 2);
}

struct calc_divisor job_divisor(const struct job *j) {
    const uint64_t bits = j->parameter[JOB_DIVISOR_BITS], quads = quads_of(bits);
    return calc_divisor_plan(bits,
                             numerator_quads(j, (int64_t)(CALC_QUAD_BITS * quads - bits)) - quads);
}

bool job_fits_tdiv_qr(const struct job *j) {
    const struct job_ref *n = &j->u[JOB_NUMERATOR], *d = &j->u[JOB_DIVISOR];
    const uint64_t nn = n->n + j->parameter[JOB_ZEROS], bits = j->parameter[JOB_NUMERATOR_BITS];
    return job_has(j, 3, 2) && j->parameter[JOB_ZEROS] <= JOB_MOST_LIMBS >> 8 && d->n >= 2 &&
           nn >= d->n && job_is_length(j->parameter[JOB_DIVISOR_BITS], d->n) &&
           bits >= j->parameter[JOB_DIVISOR_BITS] && bits <= 64 * nn &&
           job_is_result(j, JOB_QUOTIENT, nn - d->n + 1) && job_is_result(j, JOB_REMAINDER, d->n) &&
           j->u[JOB_FIRST_OF_DIVISOR].n == calc_reciprocal_first_limbs(job_divisor(j).k);
}

static void answer(struct job *j, enum job_answer what, bool is_so) {
    if (is_so)
        j->answer |= what;
}

/* Sets the answers that the caller wants. JOB_IS_LESS is 1 if the quotient is less than the
 * remainder, JOB_IS_EXACT if the remainder is 0. If the remainder was not computed, it is at least
 * B^(dn-2), where B = 2^64 and dn is the divisor's length in limbs. Then JOB_IS_LESS follows from
 * the lengths: it is 1 if the quotient has at most dn - 2 limbs. */
static void compare(struct calc *c, struct job *j, bool has_rest, struct number q,
                    struct number r) {
    const struct job_ref *n = &j->u[JOB_NUMERATOR], *d = &j->u[JOB_DIVISOR];
    const uint64_t wants = j->parameter[JOB_WANTS];
    j->answer = 0;
    if (has_rest && wants & JOB_IS_LESS)
        answer(j, JOB_IS_LESS, calc_is_less(c, q, r));
    else
        answer(j, JOB_IS_LESS, d->n >= j->parameter[JOB_ZEROS] + n->n - d->n + 3);
    if (has_rest && wants & JOB_IS_EXACT)
        answer(j, JOB_IS_EXACT, calc_is_less(c, r, calc_one(c)));
}

void recipe_tdiv_qr(struct calc *c, struct job *j) {
    const struct job_ref *n = &j->u[JOB_NUMERATOR], *d = &j->u[JOB_DIVISOR];
    const uint64_t zeros = j->parameter[JOB_ZEROS];
    struct calc_divisor by = job_divisor(j);
    uint64_t nq = numerator_quads(j, by.shift), qn = nq - by.n;
    struct number dividend =
        calc_operand_above(c, n->host, zeros, n->n, calc_words(64 * (zeros + n->n) + 1));
    struct number divisor = job_operand(c, d, CALC_QUAD * by.n);
    struct number first = job_first(c, &j->u[JOB_FIRST_OF_DIVISOR]);
    struct number q = calc_take(c, CALC_QUAD * qn), rest = calc_take(c, CALC_QUAD * nq);
    struct number r = calc_take(c, CALC_QUAD * by.n), low = number_part(rest, 0, r.words);
    by.is_quotient_alone = j->r[JOB_REMAINDER].count == 0;
    calc_divisor_make(c, &by, divisor, first);
    calc_shift(c, rest, dividend, -by.shift, false);
    bool has_rest = calc_divide(c, &by, q, rest);
    calc_shift(c, r, low, by.shift, false);
    calc_demand_less(c, r, divisor);
    calc_demand_rest(c, dividend, q, divisor, r);
    job_deliver(c, j, JOB_QUOTIENT, q);
    job_deliver(c, j, JOB_REMAINDER, r);
    compare(c, j, has_rest, q, r);
}
