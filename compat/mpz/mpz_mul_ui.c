/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_mul_ui, mpz_mul_si, mpz_addmul_ui and mpz_submul_ui. Their time is linear in the size, as
 * that of a sum, so their threshold is `add`. */
#include "compat/intercept/ternary.h"
#include "lib/gmp/real.h"
#include "lib/gmp/result.h"
#include "lib/job/limbs.h"

/* Computes w = u v, or w = -u v if `negate`. v has one limb; w may be u. */
static enum outcome product(mpz_ptr w, mpz_srcptr u, mpz_srcptr v, bool negate) {
    struct result t;
    size_t un = mpz_size(u);
    bool negative = ((u->_mp_size ^ v->_mp_size) < 0) != negate;
    if (!result_open(&t, w, u->_mp_d, u->_mp_d, un + 1))
        return OUTCOME_SIZE;
    enum outcome outcome = limbs_mul_1(t.rp, u->_mp_d, un, v->_mp_d[0]);
    if (outcome == OUTCOME_DONE)
        result_keep(&t, un + 1, negative);
    else
        result_drop(&t);
    return outcome;
}

static enum outcome mul(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    return product(w, u, v, false);
}

/* Computes w += u v, or w -= u v. w may be u. A difference may change the sign of w. */
static enum outcome accumulate(mpz_ptr w, mpz_srcptr u, mpz_srcptr v, bool subtract) {
    struct result t;
    size_t un = mpz_size(u), wn = mpz_size(w), rn = (un + 1 > wn ? un + 1 : wn) + 1;
    bool negative = w->_mp_size < 0, changes;
    bool differs = ((u->_mp_size ^ w->_mp_size) < 0) != subtract;
    if (wn == 0)
        return product(w, u, v, subtract);
    if (!result_open(&t, w, w->_mp_d, u->_mp_d, rn))
        return OUTCOME_SIZE;
    enum outcome outcome =
        differs ? limbs_submul_1(t.rp, rn, w->_mp_d, wn, u->_mp_d, un, v->_mp_d[0], &changes)
                : limbs_addmul_1(t.rp, rn, w->_mp_d, wn, u->_mp_d, un, v->_mp_d[0]);
    if (outcome == OUTCOME_DONE)
        result_keep(&t, rn, negative != (differs && changes));
    else
        result_drop(&t);
    return outcome;
}

static enum outcome addmul(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    return accumulate(w, u, v, false);
}

static enum outcome submul(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    return accumulate(w, u, v, true);
}

static inline bool is_small(mpz_srcptr u) {
    return thresholds_magnitude_is_small(&u->_mp_size, &thresholds.add);
}

EXPORT void mpz_mul_ui(mpz_ptr w, mpz_srcptr u, unsigned long v) {
    static const struct ternary f = {CALL_ROW(mpz_mul_ui), .real_ui = &real.mpz_mul_ui, .work = mul,
                                     .by_limb = true};
    INTERCEPT(is_small(u), real.mpz_mul_ui(w, u, v),
              ternary_large_ui(&f, w, u, v, &thresholds.add));
}

EXPORT void mpz_mul_si(mpz_ptr w, mpz_srcptr u, long v) {
    static const struct ternary f = {CALL_ROW(mpz_mul_si), .real_si = &real.mpz_mul_si, .work = mul,
                                     .by_limb = true};
    INTERCEPT(is_small(u), real.mpz_mul_si(w, u, v),
              ternary_large_si(&f, w, u, v, &thresholds.add));
}

EXPORT void mpz_addmul_ui(mpz_ptr w, mpz_srcptr u, unsigned long v) {
    static const struct ternary f = {CALL_ROW(mpz_addmul_ui), .real_ui = &real.mpz_addmul_ui,
                                     .work = addmul, .by_limb = true};
    INTERCEPT(is_small(u), real.mpz_addmul_ui(w, u, v),
              ternary_large_ui(&f, w, u, v, &thresholds.add));
}

EXPORT void mpz_submul_ui(mpz_ptr w, mpz_srcptr u, unsigned long v) {
    static const struct ternary f = {CALL_ROW(mpz_submul_ui), .real_ui = &real.mpz_submul_ui,
                                     .work = submul, .by_limb = true};
    INTERCEPT(is_small(u), real.mpz_submul_ui(w, u, v),
              ternary_large_ui(&f, w, u, v, &thresholds.add));
}
