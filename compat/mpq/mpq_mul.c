/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpq_mul and mpq_div. Before the products, they divide out common factors of each numerator and
 * the opposite denominator. GMP does the same, so results are equal even for fractions not in
 * lowest terms. */
#include "compat/mpq/mpq.h"
#include "lib/algorithms/composite.h"
#include "lib/algorithms/divide_mpz.h"
#include "lib/algorithms/gcd.h"
#include "lib/gmp/real.h"

/* Computes the fraction r[0] / r[1] = (an / ad) * (bn / bd). */
static void cross(struct composite *w, mpz_ptr *r, mpz_srcptr an, mpz_srcptr ad, mpz_srcptr bn,
                  mpz_srcptr bd) {
    mpz_t g, a, b, c, d;
    mpz_init(g);
    mpz_init(a);
    mpz_init(b);
    mpz_init(c);
    mpz_init(d);
    gcd_mpz(w, g, an, bd);
    divide_mpz_exact(w, a, an, g);
    divide_mpz_exact(w, d, bd, g);
    gcd_mpz(w, g, bn, ad);
    divide_mpz_exact(w, b, bn, g);
    divide_mpz_exact(w, c, ad, g);
    composite_mpz_mul(w, r[0], a, b);
    composite_mpz_mul(w, r[1], c, d);
    mpz_clear(g);
    mpz_clear(a);
    mpz_clear(b);
    mpz_clear(c);
    mpz_clear(d);
}

static void square(struct composite *w, mpz_ptr *r, mpq_srcptr u) {
    composite_mpz_mul(w, r[0], mpq_numref(u), mpq_numref(u));
    composite_mpz_mul(w, r[1], mpq_denref(u), mpq_denref(u));
}

static inline size_t mul_size(mpq_srcptr u, mpq_srcptr v) {
    return mpq_larger(mpq_smaller(mpq_numref(u), mpq_numref(v)),
                      mpq_smaller(mpq_denref(u), mpq_denref(v)));
}

static inline size_t div_size(mpq_srcptr u, mpq_srcptr v) {
    return mpq_larger(mpq_smaller(mpq_numref(u), mpq_denref(v)),
                      mpq_smaller(mpq_denref(u), mpq_numref(v)));
}

/* Returns true if numerator and denominator of u are small. Each product has a factor that divides
 * one of the two. */
static inline bool is_small(mpq_srcptr u) {
    return mpq_is_small(mpq_numref(u), mpq_denref(u));
}

/* Returns true if neither fraction is 0. GMP computes all other calls, among them divisions by
 * 0. */
static bool is_plain(mpq_srcptr u, mpq_srcptr v) {
    return mpq_sgn(u) && mpq_sgn(v);
}

static void mul(struct composite *w, mpz_ptr *r, mpq_srcptr u, mpq_srcptr v) {
    if (u == v)
        square(w, r, u);
    else
        cross(w, r, mpq_numref(u), mpq_denref(u), mpq_numref(v), mpq_denref(v));
}

LARGE void mul_large(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    size_t size = is_plain(u, v) ? mul_size(u, v) : 0;
    CALL_RESULTS(w, x, (mpq_numref(r), mpq_denref(r)), CALL_ROW(mpq_mul), size,
                 u == v ? &thresholds.sqr : &thresholds.mul, mpq_limbs(u, v),
                 (mul(w, x, u, v), true), real.mpq_mul(r, u, v));
}

EXPORT void mpq_mul(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    INTERCEPT(is_small(u), real.mpq_mul(r, u, v), mul_large(r, u, v));
}

static void div(struct composite *w, mpz_ptr *r, mpq_srcptr u, mpq_srcptr v) {
    cross(w, r, mpq_numref(u), mpq_denref(u), mpq_denref(v), mpq_numref(v));
    if (mpz_sgn(r[1]) < 0) {
        r[0]->_mp_size = -r[0]->_mp_size;
        r[1]->_mp_size = -r[1]->_mp_size;
    }
}

/* Swaps the memory of r's numerator and denominator if r is the divisor v. GMP does the same, so
 * the program's memory functions see the same calls. */
static void swap_parts(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    if (r == v && u != v)
        mpz_swap(mpq_numref(r), mpq_denref(r));
}

LARGE void div_large(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    size_t size = is_plain(u, v) ? div_size(u, v) : 0;
    CALL_RESULTS(w, x, (mpq_numref(r), mpq_denref(r)), CALL_ROW(mpq_div), size, &thresholds.mul,
                 mpq_limbs(u, v), (div(w, x, u, v), swap_parts(r, u, v), true),
                 real.mpq_div(r, u, v));
}

EXPORT void mpq_div(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    INTERCEPT(is_small(u), real.mpq_div(r, u, v), div_large(r, u, v));
}
