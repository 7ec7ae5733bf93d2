/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_mul, mpz_addmul and mpz_submul. */
#include "compat/intercept/ternary.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/real.h"
#include "lib/gmp/result.h"
#include "lib/job/job.h"
#include "lib/job/limbs.h"

/* Computes w = u * v. u and v are not 0; w may be u or v. */
static enum outcome product(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    struct result t;
    size_t un = mpz_size(u), vn = mpz_size(v);
    bool negative =
        (u->_mp_size ^ v->_mp_size) < 0; /* computed before w changes, because w may be u or v */
    if (!result_open(&t, w, u->_mp_d, v->_mp_d, un + vn))
        return OUTCOME_SIZE;
    enum outcome outcome = limbs_mul(t.rp, u->_mp_d, un, v->_mp_d, vn);
    if (outcome == OUTCOME_DONE)
        result_keep(&t, un + vn, negative);
    else
        result_drop(&t);
    return outcome;
}

static inline const _Atomic size_t *threshold_of(mpz_srcptr u, mpz_srcptr v) {
    return u == v ? &thresholds.sqr : &thresholds.mul;
}

static inline bool is_small(mpz_srcptr u, mpz_srcptr v) {
    return ternary_is_small(u, v, &thresholds.product) ||
           ternary_is_small(u, v, threshold_of(u, v));
}

EXPORT void mpz_mul(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    static const struct ternary f = {CALL_ROW(mpz_mul), .real = &real.mpz_mul, .work = product};
    INTERCEPT(is_small(u, v), real.mpz_mul(w, u, v),
              ternary_large(&f, w, u, v, threshold_of(u, v)));
}

/* Computes w += u * v or w -= u * v on the device, including the sum. */
static enum outcome accumulate_large(mpz_ptr w, mpz_srcptr u, mpz_srcptr v, bool subtract) {
    bool product_negative = ((u->_mp_size ^ v->_mp_size) < 0) != subtract,
         w_negative = w->_mp_size < 0;
    size_t un = mpz_size(u), vn = mpz_size(v), wn = mpz_size(w),
           n = (wn > un + vn ? wn : un + vn) + 1;
    struct result t;
    if (!result_open(&t, w, w->_mp_d, w->_mp_d, n))
        return OUTCOME_SIZE;
    struct job job = {
        .op = JOB_mul_part,
        .operands = 3,
        .results = 1,
        .u = {job_limbs(u->_mp_d, un), job_limbs(v->_mp_d, vn), job_limbs(w->_mp_d, wn)},
        .r = {job_limbs(t.rp, n)},
        .parameter = {[JOB_SUBTRACT] = product_negative != w_negative}};
    enum outcome outcome = job_run(&job);
    if (outcome == OUTCOME_DONE)
        result_keep(&t, n, (bool)(job.answer & JOB_IS_NEGATIVE) != w_negative);
    else
        result_drop(&t);
    return outcome;
}

/* Computes w += t or w -= t, and clears t. The sum has at most n limbs. If w has no room for n
 * limbs, w takes t's memory, because mpz_add into w might allocate n + 1 limbs. */
static void add_to(mpz_ptr w, mpz_ptr t, size_t n, bool subtract) {
    void (*f)(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) = subtract ? real.mpz_sub : real.mpz_add;
    if ((size_t)w->_mp_alloc >= n) {
        f(w, w, t);
        mpz_clear(t);
    } else {
        f(t, w, t);
        result_take(w, t);
    }
}

/* Computes w += u * v or w -= u * v. The device computes the product, and for long operands also
 * the sum. */
static enum outcome accumulate(mpz_ptr w, mpz_srcptr u, mpz_srcptr v, bool subtract) {
    mpz_t t;
    size_t un = mpz_size(u), vn = mpz_size(v);
    if (job_part_pays(un, vn) && mpz_size(w) && job_composites_run())
        return accumulate_large(w, u, v, subtract);
    size_t n = (mpz_size(w) > un + vn ? mpz_size(w) : un + vn) + 1;
    if (n > INT_MAX)
        return OUTCOME_SIZE;
    memory_init_scratch(t, n);
    enum outcome outcome = product(t, u, v);
    if (outcome == OUTCOME_DONE)
        add_to(w, t, n, subtract);
    else
        mpz_clear(t);
    return outcome;
}

static enum outcome addmul(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    return accumulate(w, u, v, false);
}

EXPORT void mpz_addmul(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    static const struct ternary f = {CALL_ROW(mpz_addmul), .real = &real.mpz_addmul,
                                     .work = addmul};
    INTERCEPT(is_small(u, v), real.mpz_addmul(w, u, v),
              ternary_large(&f, w, u, v, threshold_of(u, v)));
}

static enum outcome submul(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    return accumulate(w, u, v, true);
}

EXPORT void mpz_submul(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    static const struct ternary f = {CALL_ROW(mpz_submul), .real = &real.mpz_submul,
                                     .work = submul};
    INTERCEPT(is_small(u, v), real.mpz_submul(w, u, v),
              ternary_large(&f, w, u, v, threshold_of(u, v)));
}
