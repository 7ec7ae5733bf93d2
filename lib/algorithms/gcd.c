/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Euclid's algorithm on large numbers.  The higher half of a number determines steps that leave
 * three quarters of its bits.  This is repeated until few limbs are left; GMP computes the rest. */
#include "lib/algorithms/gcd.h"

#include "lib/algorithms/divide_mpz.h"
#include "lib/algorithms/hgcd.h"
#include "lib/gmp/real.h"

/* GMP computes the gcd if a number has fewer than LEAST limbs, or is below LEAST_PRODUCTS times the
 * device's threshold for products. */
enum { LEAST = 16, LEAST_PRODUCTS = 8 };

void gcd_init(struct gcd *k, struct composite *w, mpz_srcptr u, mpz_srcptr v, bool has_cofactors) {
    k->w = w;
    k->has_cofactors = has_cofactors;
    mpz_init(k->a);
    mpz_init(k->b);
    mpz_init(k->x);
    mpz_init(k->y);
    mpz_set(k->a, u);
    mpz_set(k->b, v);
    k->a->_mp_size = (int)mpz_size(u);
    k->b->_mp_size = (int)mpz_size(v);
    mpz_set_ui(k->x, 1);
}

void gcd_clear(struct gcd *k) {
    mpz_clear(k->a);
    mpz_clear(k->b);
    mpz_clear(k->x);
    mpz_clear(k->y);
}

static void swap(struct gcd *k) {
    mpz_swap(k->a, k->b);
    mpz_swap(k->x, k->y);
}

/* a = a modulo b; updates the cofactors, if they are wanted. */
static void divide(struct gcd *k) {
    mpz_t q;
    mpz_init(q);
    divide_mpz_tdiv_qr(k->w, q, k->a, k->a, k->b);
    if (k->has_cofactors) {
        composite_mpz_mul(k->w, q, q, k->y);
        real.mpz_sub(k->x, k->x, q);
    }
    mpz_clear(q);
}

/* Reduces a >= b > 0 to about three quarters of a's bits; if that is not possible, by one division.
 */
static void shorten(struct gcd *k) {
    struct hgcd h;
    hgcd_init(&h, NULL);
    if (!hgcd_reduce(k->w, k->a, k->b, composite_mpz_bits(k->a) / 4 * 3 + 1, &h))
        divide(k);
    else if (k->has_cofactors)
        hgcd_apply(k->w, &h, k->x, k->y);
    hgcd_clear(&h);
}

static bool is_short(mpz_srcptr b) {
    size_t n = mpz_size(b);
    return n < LEAST || thresholds_is_small(n / LEAST_PRODUCTS, &thresholds.mul);
}

void gcd_reduce(struct gcd *k) {
    for (;;) {
        if (mpz_cmp(k->a, k->b) < 0)
            swap(k);
        if (is_short(k->b))
            return;
        shorten(k);
    }
}

void gcd_mpz_by_products(struct composite *w, mpz_ptr g, mpz_srcptr u, mpz_srcptr v) {
    struct gcd k;
    gcd_init(&k, w, u, v, false);
    gcd_reduce(&k);
    real.mpz_gcd(g, k.a, k.b);
    gcd_clear(&k);
}

void gcd_mpz(struct composite *w, mpz_ptr g, mpz_srcptr u, mpz_srcptr v) {
    if (thresholds_one_is_small(&u->_mp_size, &v->_mp_size, &thresholds.gcd))
        real.mpz_gcd(g, u, v);
    else
        gcd_mpz_by_products(w, g, u, v);
}

/* ---- cofactors and inverses
 *
 * Of all s with g = s u modulo v, GMP's manual defines s as the one nearest to 0: |s| < |v|/(2g).
 * If |v/g| = 2, then |s| is 1, and s has the sign of u.  The corresponding t is less than |u|/(2g),
 * except for |u| = 2g, where t has the sign of v. */

/* g = gcd(u, v) and s |u| = g modulo |v|, for u and v of any size and sign. */
static void cofactor(struct composite *w, mpz_ptr g, mpz_ptr s, mpz_srcptr u, mpz_srcptr v) {
    struct gcd k;
    mpz_t t;
    mpz_init(t);
    gcd_init(&k, w, u, v, true);
    gcd_reduce(&k);
    real.mpz_gcdext(g, s, t, k.a, k.b);
    composite_mpz_mul(w, s, s, k.x);
    composite_mpz_mul(w, t, t, k.y);
    real.mpz_add(s, s, t);
    gcd_clear(&k);
    mpz_clear(t);
}

/* Replaces s by the number nearest to 0 that is congruent to s modulo |v| / g. */
static void normalise(struct composite *w, mpz_ptr s, mpz_srcptr v, mpz_srcptr g) {
    mpz_t m, twice;
    mpz_init(m);
    mpz_init(twice);
    mpz_set(m, v);
    m->_mp_size = (int)mpz_size(v);
    if (mpz_cmp_ui(g, 1) != 0)
        divide_mpz_exact(w, m, m, g);
    divide_mpz_mod(w, s, s, m);
    mpz_mul_2exp(twice, s, 1);
    if (mpz_cmp(twice, m) > 0)
        real.mpz_sub(s, s, m);
    mpz_clear(m);
    mpz_clear(twice);
}

/* t = (g - s u) / v */
static void other_cofactor(struct composite *w, mpz_ptr t, mpz_srcptr g, mpz_srcptr s, mpz_srcptr u,
                           mpz_srcptr v) {
    composite_mpz_mul(w, t, s, u);
    real.mpz_sub(t, g, t);
    divide_mpz_exact(w, t, t, v);
}

void gcd_cofactors(struct composite *w, mpz_ptr g, mpz_ptr s, mpz_ptr t, mpz_srcptr u,
                   mpz_srcptr v) {
    mpz_t common, x, y;
    mpz_init(common);
    mpz_init(x);
    mpz_init(y);
    cofactor(w, common, x, u, v);
    normalise(w, x, v, common);
    if (u->_mp_size < 0)
        mpz_neg(x, x);
    if (t)
        other_cofactor(w, y, common, x, u, v);
    if (g) /* g may be u or v, which are not needed any more */
        mpz_set(g, common);
    if (s)
        mpz_set(s, x);
    if (t)
        mpz_set(t, y);
    mpz_clear(common);
    mpz_clear(x);
    mpz_clear(y);
}

bool gcd_invert(struct composite *w, mpz_ptr r, mpz_srcptr u, mpz_srcptr m) {
    mpz_t g, x;
    mpz_init(g);
    mpz_init(x);
    cofactor(w, g, x, u, m);
    bool exists = mpz_cmp_ui(g, 1) == 0;
    if (exists) {
        if (u->_mp_size < 0)
            mpz_neg(x, x);
        divide_mpz_mod(w, x, x, m);
        mpz_set(r, x);
    }
    mpz_clear(g);
    mpz_clear(x);
    return exists;
}
