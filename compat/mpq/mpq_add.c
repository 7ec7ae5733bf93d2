/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpq_add and mpq_sub. As GMP does (Knuth 4.5.1), they divide first by the gcd g of the
 * denominators, and at the end by the gcd of g and the new numerator. */
#include "compat/mpq/mpq.h"
#include "lib/algorithms/composite.h"
#include "lib/algorithms/divide_mpz.h"
#include "lib/algorithms/gcd.h"
#include "lib/gmp/real.h"

/* Adds or subtracts two numerators: real.mpz_add or real.mpz_sub. */
typedef void operation(mpz_ptr w, mpz_srcptr x, mpz_srcptr y);

/* Computes sum / below = u + v, or u - v if f subtracts. The denominators of u and v are g c and g
 * d, where g is their gcd. */
static void combine(struct composite *w, operation *f, mpz_ptr sum, mpz_ptr below, mpq_srcptr u,
                    mpq_srcptr v, mpz_ptr g, mpz_ptr c, mpz_ptr d) {
    mpz_t t;
    mpz_init(t);
    composite_mpz_mul(w, sum, mpq_numref(u), d);
    composite_mpz_mul(w, t, mpq_numref(v), c);
    f(sum, sum, t);
    mpz_set(d, mpq_denref(v));
    if (mpz_cmp_ui(g, 1) != 0) {
        gcd_mpz(w, g, sum, g);
        divide_mpz_exact(w, sum, sum, g);
        divide_mpz_exact(w, d, d, g);
    }
    composite_mpz_mul(w, below, c, d);
    mpz_clear(t);
}

static inline size_t add_size(mpq_srcptr u, mpq_srcptr v) {
    return mpq_larger(mpq_smaller(mpq_denref(u), mpq_denref(v)),
                      mpq_larger(mpq_smaller(mpq_numref(u), mpq_denref(v)),
                                 mpq_smaller(mpq_denref(u), mpq_numref(v))));
}

static void add(struct composite *w, operation *f, mpz_ptr sum, mpz_ptr below, mpq_srcptr u,
                mpq_srcptr v) {
    mpz_t g, c, d;
    mpz_init(g);
    mpz_init(c);
    mpz_init(d);
    gcd_mpz(w, g, mpq_denref(u), mpq_denref(v));
    divide_mpz_exact(w, c, mpq_denref(u), g);
    divide_mpz_exact(w, d, mpq_denref(v), g);
    combine(w, f, sum, below, u, v, g, c, d);
    mpz_clear(g);
    mpz_clear(c);
    mpz_clear(d);
}

/* Returns true if both denominators are small. Every product that the addition computes has a
 * factor that divides a denominator. */
static inline bool is_small(mpq_srcptr u, mpq_srcptr v) {
    return mpq_is_small(mpq_denref(u), mpq_denref(v));
}

LARGE void add_large(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    CALL_RESULTS(w, x, (mpq_numref(r), mpq_denref(r)), CALL_ROW(mpq_add), add_size(u, v),
                 &thresholds.mul, mpq_limbs(u, v), (add(w, real.mpz_add, x[0], x[1], u, v), true),
                 real.mpq_add(r, u, v));
}

EXPORT void mpq_add(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    INTERCEPT(is_small(u, v), real.mpq_add(r, u, v), add_large(r, u, v));
}

LARGE void sub_large(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    CALL_RESULTS(w, x, (mpq_numref(r), mpq_denref(r)), CALL_ROW(mpq_sub), add_size(u, v),
                 &thresholds.mul, mpq_limbs(u, v), (add(w, real.mpz_sub, x[0], x[1], u, v), true),
                 real.mpq_sub(r, u, v));
}

EXPORT void mpq_sub(mpq_ptr r, mpq_srcptr u, mpq_srcptr v) {
    INTERCEPT(is_small(u, v), real.mpq_sub(r, u, v), sub_large(r, u, v));
}
