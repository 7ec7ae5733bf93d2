/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_fac_ui, mpz_2fac_ui, mpz_mfac_uiui and mpz_primorial_ui. */
#include <limits.h>

#include "compat/intercept/composite_call.h"
#include "lib/algorithms/factorial.h"
#include "lib/gmp/real.h"

/* The product of the primes up to n has about n / log 2 bits, which are n / 44.4 limbs. */
enum { LIMB_NATS = 44 };

/* Returns true if the results for n are short: n! is at most n^n, which has at most n limbs. */
static inline bool is_small(unsigned long n) {
    return thresholds_is_small(n, &thresholds.fac);
}

/* Returns the size that decides whether a call is large. Returns 0 if the result might be too long
 * for an mpz: GMP computes it and reports the error. */
static size_t size_of(size_t limbs) {
    return limbs > INT_MAX / 2 ? 0 : limbs;
}

LARGE void fac_large(mpz_ptr r, unsigned long n) {
    size_t limbs = size_of(factorial_limbs(n));
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_fac_ui), limbs, &thresholds.fac, limbs,
                 factorial_multi(w, x[0], n, 1), real.mpz_fac_ui(r, n));
}

EXPORT void mpz_fac_ui(mpz_ptr r, unsigned long n) {
    INTERCEPT(is_small(n), real.mpz_fac_ui(r, n), fac_large(r, n));
}

LARGE void double_fac_large(mpz_ptr r, unsigned long n) {
    size_t limbs = size_of(factorial_limbs(n) / 2);
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_2fac_ui), limbs, &thresholds.fac, limbs,
                 factorial_multi(w, x[0], n, 2), real.mpz_2fac_ui(r, n));
}

EXPORT void mpz_2fac_ui(mpz_ptr r, unsigned long n) {
    INTERCEPT(is_small(n), real.mpz_2fac_ui(r, n), double_fac_large(r, n));
}

LARGE void multi_fac_large(mpz_ptr r, unsigned long n, unsigned long m) {
    size_t limbs = size_of(m ? factorial_limbs(n) / m : 0);
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_mfac_uiui), limbs, &thresholds.fac, limbs,
                 factorial_multi(w, x[0], n, m), real.mpz_mfac_uiui(r, n, m));
}

EXPORT void mpz_mfac_uiui(mpz_ptr r, unsigned long n, unsigned long m) {
    INTERCEPT(is_small(n), real.mpz_mfac_uiui(r, n, m), multi_fac_large(r, n, m));
}

LARGE void primorial_large(mpz_ptr r, unsigned long n) {
    size_t limbs = size_of(n / LIMB_NATS);
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_primorial_ui), limbs, &thresholds.fac, limbs,
                 factorial_primorial(w, x[0], n), real.mpz_primorial_ui(r, n));
}

EXPORT void mpz_primorial_ui(mpz_ptr r, unsigned long n) {
    INTERCEPT(is_small(n), real.mpz_primorial_ui(r, n), primorial_large(r, n));
}
