/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_pow_ui and mpz_ui_pow_ui. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/power.h"
#include "lib/gmp/real.h"

/* Returns true if un * e, an upper bound of the result's limbs, is small. un is an upper bound of
 * the base's limbs. In the fast path un is huge if the base is negative, so the result counts as
 * long. */
static inline bool power_is_small(size_t un, unsigned long e) {
    long limbs;
    return !__builtin_mul_overflow((long)un, (long)e, &limbs) &&
           thresholds_is_small((size_t)limbs, &thresholds.pow);
}

LARGE void pow_ui_large(mpz_ptr r, mpz_srcptr b, unsigned long e) {
    size_t bn = mpz_size(b), limbs = power_is_small(bn, e) ? 0 : power_limbs(b->_mp_d, bn, e);
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_pow_ui), limbs, &thresholds.pow, limbs,
                 power_mpz(w, x[0], b->_mp_d, bn, e, b->_mp_size < 0 && e % 2),
                 real.mpz_pow_ui(r, b, e));
}

EXPORT void mpz_pow_ui(mpz_ptr r, mpz_srcptr b, unsigned long e) {
    INTERCEPT(power_is_small((unsigned)b->_mp_size, e), real.mpz_pow_ui(r, b, e),
              pow_ui_large(r, b, e));
}

LARGE void ui_pow_ui_large(mpz_ptr r, unsigned long b, unsigned long e) {
    size_t limbs = power_limbs(&b, b != 0, e);
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_ui_pow_ui), limbs, &thresholds.pow, limbs,
                 power_mpz(w, x[0], &b, 1, e, false), real.mpz_ui_pow_ui(r, b, e));
}

EXPORT void mpz_ui_pow_ui(mpz_ptr r, unsigned long b, unsigned long e) {
    INTERCEPT(thresholds_is_small(e, &thresholds.pow), real.mpz_ui_pow_ui(r, b, e),
              ui_pow_ui_large(r, b, e));
}
