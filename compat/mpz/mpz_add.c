/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_add, mpz_sub and the forms with a word. The host computes signs and sizes, the device
 * magnitudes. */
#include "compat/intercept/ternary.h"
#include "lib/gmp/real.h"
#include "lib/gmp/result.h"
#include "lib/job/limbs.h"

/* An operand as magnitude {p, n} and sign. */
struct operand {
    mp_srcptr p;
    size_t n;
    bool negative;
};

static bool magnitude_less(struct operand u, struct operand v) {
    return u.n != v.n ? u.n < v.n : mpn_cmp(u.p, v.p, (mp_size_t)u.n) < 0;
}

static bool magnitude_same(struct operand u, struct operand v) {
    return u.n == v.n && mpn_cmp(u.p, v.p, (mp_size_t)u.n) == 0;
}

/* Computes w = u + v for operands of equal sign. */
static enum outcome sum(mpz_ptr w, struct operand u, struct operand v) {
    struct result t;
    if (u.n < v.n)
        return sum(w, v, u);
    if (!result_open(&t, w, u.p, v.p, u.n + 1))
        return OUTCOME_SIZE;
    enum outcome outcome = limbs_add(t.rp, u.p, u.n, v.p, v.n, &t.rp[u.n]);
    if (outcome == OUTCOME_DONE)
        result_keep(&t, u.n + 1, u.negative);
    else
        result_drop(&t);
    return outcome;
}

/* Computes w = u + v for operands of different sign. */
static enum outcome difference(mpz_ptr w, struct operand u, struct operand v) {
    struct result t;
    if (magnitude_less(u, v))
        return difference(w, v, u);
    if (magnitude_same(u, v))
        return OUTCOME_SMALL; /* the magnitudes are equal: GMP sets the result to 0 */
    if (!result_open(&t, w, u.p, v.p, u.n))
        return OUTCOME_SIZE;
    mp_limb_t borrow; /* stays 0, because the magnitude of u is larger than that of v */
    enum outcome outcome = limbs_sub(t.rp, u.p, u.n, v.p, v.n, &borrow);
    if (outcome == OUTCOME_DONE)
        result_keep(&t, u.n, u.negative);
    else
        result_drop(&t);
    return outcome;
}

/* Computes w = u + v, or w = u - v if `subtract`. */
static enum outcome combine(mpz_ptr w, mpz_srcptr u, mpz_srcptr v, bool subtract) {
    struct operand a = {u->_mp_d, mpz_size(u), u->_mp_size < 0};
    struct operand b = {v->_mp_d, mpz_size(v), (v->_mp_size < 0) != subtract};
    return a.negative == b.negative ? sum(w, a, b) : difference(w, a, b);
}

static enum outcome add(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    return combine(w, u, v, false);
}

EXPORT void mpz_add(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    static const struct ternary f = {CALL_ROW(mpz_add), .real = &real.mpz_add, .work = add};
    INTERCEPT(ternary_is_small(u, v, &thresholds.add), real.mpz_add(w, u, v),
              ternary_large(&f, w, u, v, &thresholds.add));
}

EXPORT void mpz_add_ui(mpz_ptr w, mpz_srcptr u, unsigned long v) {
    static const struct ternary f = {CALL_ROW(mpz_add_ui), .real_ui = &real.mpz_add_ui,
                                     .work = add};
    INTERCEPT(ternary_word_is_small(&thresholds.add), real.mpz_add_ui(w, u, v),
              ternary_large_ui(&f, w, u, v, &thresholds.add));
}

static enum outcome sub(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    return combine(w, u, v, true);
}

EXPORT void mpz_sub(mpz_ptr w, mpz_srcptr u, mpz_srcptr v) {
    static const struct ternary f = {CALL_ROW(mpz_sub), .real = &real.mpz_sub, .work = sub};
    INTERCEPT(ternary_is_small(u, v, &thresholds.add), real.mpz_sub(w, u, v),
              ternary_large(&f, w, u, v, &thresholds.add));
}

EXPORT void mpz_sub_ui(mpz_ptr w, mpz_srcptr u, unsigned long v) {
    static const struct ternary f = {CALL_ROW(mpz_sub_ui), .real_ui = &real.mpz_sub_ui,
                                     .work = sub};
    INTERCEPT(ternary_word_is_small(&thresholds.add), real.mpz_sub_ui(w, u, v),
              ternary_large_ui(&f, w, u, v, &thresholds.add));
}

EXPORT void mpz_ui_sub(mpz_ptr w, unsigned long u, mpz_srcptr v) {
    static const struct ternary f = {CALL_ROW(mpz_ui_sub), .real_ui_first = &real.mpz_ui_sub,
                                     .work = sub};
    INTERCEPT(ternary_word_is_small(&thresholds.add), real.mpz_ui_sub(w, u, v),
              ternary_large_ui_first(&f, w, u, v, &thresholds.add));
}
