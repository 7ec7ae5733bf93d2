/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_fib_ui, mpz_fib2_ui, mpz_lucnum_ui and mpz_lucnum2_ui. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/fibonacci.h"
#include "lib/gmp/real.h"

/* Returns true if the number with index n is short. The first comparison decides most calls; it
 * needs no division. */
static inline bool is_small(unsigned long n) {
    return thresholds_is_small(n, &thresholds.fib) ||
           thresholds_is_small(n / FIBONACCI_LIMB_INDICES, &thresholds.fib);
}

LARGE void fib_ui_large(mpz_ptr r, unsigned long n) {
    size_t size = fibonacci_size(n);
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_fib_ui), size, &thresholds.fib, size,
                 fibonacci(w, x[0], NULL, n, CALC_FIBONACCI_ONE), real.mpz_fib_ui(r, n));
}

EXPORT void mpz_fib_ui(mpz_ptr r, unsigned long n) {
    INTERCEPT(is_small(n), real.mpz_fib_ui(r, n), fib_ui_large(r, n));
}

LARGE void fib2_ui_large(mpz_ptr r, mpz_ptr s, unsigned long n) {
    size_t size = fibonacci_size(n);
    CALL_RESULTS(w, x, (r, s), CALL_ROW(mpz_fib2_ui), size, &thresholds.fib, size,
                 fibonacci(w, x[0], x[1], n, CALC_FIBONACCI_TWO), real.mpz_fib2_ui(r, s, n));
}

EXPORT void mpz_fib2_ui(mpz_ptr r, mpz_ptr s, unsigned long n) {
    INTERCEPT(is_small(n), real.mpz_fib2_ui(r, s, n), fib2_ui_large(r, s, n));
}

LARGE void lucnum_ui_large(mpz_ptr r, unsigned long n) {
    size_t size = fibonacci_size(n);
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_lucnum_ui), size, &thresholds.fib, size,
                 fibonacci(w, x[0], NULL, n, CALC_FIBONACCI_LUCAS), real.mpz_lucnum_ui(r, n));
}

EXPORT void mpz_lucnum_ui(mpz_ptr r, unsigned long n) {
    INTERCEPT(is_small(n), real.mpz_lucnum_ui(r, n), lucnum_ui_large(r, n));
}

LARGE void lucnum2_ui_large(mpz_ptr r, mpz_ptr s, unsigned long n) {
    size_t size = fibonacci_size(n);
    CALL_RESULTS(w, x, (r, s), CALL_ROW(mpz_lucnum2_ui), size, &thresholds.fib, size,
                 fibonacci(w, x[0], x[1], n, CALC_FIBONACCI_LUCAS), real.mpz_lucnum2_ui(r, s, n));
}

EXPORT void mpz_lucnum2_ui(mpz_ptr r, mpz_ptr s, unsigned long n) {
    INTERCEPT(is_small(n), real.mpz_lucnum2_ui(r, s, n), lucnum2_ui_large(r, s, n));
}
