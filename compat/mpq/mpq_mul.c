/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpq_mul and mpq_div: common factors are taken out crosswise before the products, as
 * GMP does it, so that fractions which are not in lowest terms give what GMP gives. */
#include "compat/mpq/mpq.h"
#include "lib/gmp/real.h"

/* r = (an/ad) * (bn/bd), where any of these may be r's. */
static void cross(struct composite *whole, mpq_ptr r, mpz_srcptr an, mpz_srcptr ad, mpz_srcptr bn,
                  mpz_srcptr bd) {
    mpz_t g, a, b, c, d;
    mpz_init(g);
    mpz_init(a);
    mpz_init(b);
    mpz_init(c);
    mpz_init(d);
    mpq_gcd(whole, g, an, bd);
    mpq_quotient(whole, a, an, g);
    mpq_quotient(whole, d, bd, g);
    mpq_gcd(whole, g, bn, ad);
    mpq_quotient(whole, b, bn, g);
    mpq_quotient(whole, c, ad, g);
    composite_mpz_mul(whole, mpq_numref(r), a, b);
    composite_mpz_mul(whole, mpq_denref(r), c, d);
    mpz_clear(g);
    mpz_clear(a);
    mpz_clear(b);
    mpz_clear(c);
    mpz_clear(d);
}

static void square(struct composite *whole, mpq_ptr r, mpq_srcptr u) {
    composite_mpz_mul(whole, mpq_numref(r), mpq_numref(u), mpq_numref(u));
    composite_mpz_mul(whole, mpq_denref(r), mpq_denref(u), mpq_denref(u));
}

static inline size_t mul_size(mpq_srcptr u, mpq_srcptr v) {
    return mpq_larger(mpq_smaller(mpq_numref(u), mpq_numref(v)),
                      mpq_smaller(mpq_denref(u), mpq_denref(v)));
}

static inline size_t div_size(mpq_srcptr u, mpq_srcptr v) {
    return mpq_larger(mpq_smaller(mpq_numref(u), mpq_denref(v)),
                      mpq_smaller(mpq_denref(u), mpq_numref(v)));
}

/* Each product has a part of u. */
static inline int is_small(mpq_srcptr u) {
    return mpq_is_small(mpq_numref(u), mpq_denref(u));
}

/* A product or quotient that is not 0 and has no divisor 0. */
static int is_plain(mpq_srcptr u, mpq_srcptr v) {
    return mpq_sgn(u) && mpq_sgn(v);
}

static int mul(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    struct composite whole;
    if (!composite_begin(&whole, CALL_ROW(mpq_mul), is_plain(u, v) ? mul_size(u, v) : 0,
                     &thresholds.mul, mpq_limbs(u, v)))
        return 0;
    if (u == v)
        square(&whole, r, u);
    else
        cross(&whole, r, mpq_numref(u), mpq_denref(u), mpq_numref(v), mpq_denref(v));
    composite_end(&whole);
    return 1;
}

LARGE void mul_large(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    COMPOSITE_FRAME;
    if (!mul(r, u, v))
        real.mpq_mul(r, u, v);
}

EXPORT void mpq_mul(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    if (is_small(u))
        real.mpq_mul(r, u, v);
    else
        mul_large(r, u, v);
}

static int div(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    struct composite whole;
    if (!composite_begin(&whole, CALL_ROW(mpq_div), is_plain(u, v) ? div_size(u, v) : 0,
                     &thresholds.mul, mpq_limbs(u, v)))
        return 0;
    cross(&whole, r, mpq_numref(u), mpq_denref(u), mpq_denref(v), mpq_numref(v));
    if (mpz_sgn(mpq_denref(r)) < 0) {
        mpz_neg(mpq_numref(r), mpq_numref(r));
        mpz_neg(mpq_denref(r), mpq_denref(r));
    }
    composite_end(&whole);
    return 1;
}

LARGE void div_large(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    COMPOSITE_FRAME;
    if (!div(r, u, v))
        real.mpq_div(r, u, v);
}

EXPORT void mpq_div(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    if (is_small(u))
        real.mpq_div(r, u, v);
    else
        div_large(r, u, v);
}
