/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division of mpz: mpz_tdiv_*, mpz_fdiv_*, mpz_cdiv_*, mpz_mod and mpz_divexact. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/divide_mpz.h"
#include "lib/gmp/real.h"

enum results { QUOTIENT, REMAINDER, BOTH };

struct division {
    enum call_row row;
    enum divide_mpz_rounding rounding;
    enum results results;
    void (**real)(mpz_ptr w, mpz_srcptr n, mpz_srcptr d);               /* of one result */
    void (**real_qr)(mpz_ptr q, mpz_ptr r, mpz_srcptr n, mpz_srcptr d); /* of both */
};

/* Calls GMP's division. If one result is not wanted, its pointer is NULL. */
static void call_real(const struct division *f, mpz_ptr q, mpz_ptr r, mpz_srcptr n, mpz_srcptr d) {
    if (f->results == BOTH)
        (*f->real_qr)(q, r, n, d);
    else
        (*f->real)(q ? q : r, n, d);
}

LARGE void division_large(const struct division *f, mpz_ptr q, mpz_ptr r, mpz_srcptr n,
                          mpz_srcptr d) {
    CALL_RESULTS(
        w, x, (q, r), f->row, divide_mpz_size(n, d), &thresholds.div, mpz_size(n) + mpz_size(d),
        divide_mpz_by_products(w, f->rounding, x[0], x[1], n, d), call_real(f, q, r, n, d));
}

/* Returns true if the divisor is small, which it is in most calls. */
static inline bool is_small(mpz_srcptr d) {
    return thresholds_magnitude_is_small(&d->_mp_size, &thresholds.div);
}

/* Computes a division with one result and a large divisor. GMP computes it if the quotient is
 * small. */
LARGE void division(const struct division *f, mpz_ptr w, mpz_srcptr n, mpz_srcptr d) {
    if (thresholds_is_small(divide_mpz_size(n, d), &thresholds.div))
        (*f->real)(w, n, d);
    else if (f->results == QUOTIENT)
        division_large(f, w, NULL, n, d);
    else
        division_large(f, NULL, w, n, d);
}

LARGE void division_qr(const struct division *f, mpz_ptr q, mpz_ptr r, mpz_srcptr n, mpz_srcptr d) {
    if (thresholds_is_small(divide_mpz_size(n, d), &thresholds.div))
        (*f->real_qr)(q, r, n, d);
    else
        division_large(f, q, r, n, d);
}

#define DIVISION(function, rounding, results)                                                      \
    EXPORT void function(mpz_ptr w, mpz_srcptr n, mpz_srcptr d) {                                  \
        static const struct division f = {CALL_ROW(function), DIVIDE_MPZ_##rounding, results,      \
                                          &real.function, NULL};                                   \
        INTERCEPT(is_small(d), real.function(w, n, d), division(&f, w, n, d));                     \
    }
#define DIVISION_QR(function, rounding)                                                            \
    EXPORT void function(mpz_ptr q, mpz_ptr r, mpz_srcptr n, mpz_srcptr d) {                       \
        static const struct division f = {CALL_ROW(function), DIVIDE_MPZ_##rounding, BOTH, NULL,   \
                                          &real.function};                                         \
        INTERCEPT(is_small(d), real.function(q, r, n, d), division_qr(&f, q, r, n, d));            \
    }

DIVISION(mpz_tdiv_q, TRUNCATE, QUOTIENT)
DIVISION(mpz_tdiv_r, TRUNCATE, REMAINDER)
DIVISION_QR(mpz_tdiv_qr, TRUNCATE)
DIVISION(mpz_fdiv_q, FLOOR, QUOTIENT)
DIVISION(mpz_fdiv_r, FLOOR, REMAINDER)
DIVISION_QR(mpz_fdiv_qr, FLOOR)
DIVISION(mpz_cdiv_q, CEILING, QUOTIENT)
DIVISION(mpz_cdiv_r, CEILING, REMAINDER)
DIVISION_QR(mpz_cdiv_qr, CEILING)
DIVISION(mpz_mod, MODULO, REMAINDER)
DIVISION(mpz_divexact, EXACT, QUOTIENT)
