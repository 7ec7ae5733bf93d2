/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_gcdext and mpz_invert.
 *
 * Of all s with g = s u modulo v the one is wanted that is nearest to 0: |s| < |v|/(2g), or half
 * of |v/g| = 2, where that is 1 with the sign of u. The t that belongs to it is less than |u|/(2g)
 * but for |u| = 2g, and then has the sign of v: so GMP's manual defines both. */
#include "lib/algorithms/gcd.h"
#include "lib/gmp/real.h"

/* x = x / g, exactly. */
static void take_out(struct composite *w, mpz_ptr x, mpz_srcptr g) {
    if (mpz_cmp_ui(g, 1) == 0)
        return;
    call_open();
    mpz_divexact(x, x, g);
    call_close(&w->call);
}

/* x = x modulo |m|, not negative. */
static void modulo(struct composite *w, mpz_ptr x, mpz_srcptr m) {
    call_open();
    mpz_mod(x, x, m);
    call_close(&w->call);
}

/* g = gcd(u, v) and s |u| = g modulo |v|, of any size and sign. */
static void cofactor(struct composite *w, mpz_ptr g, mpz_ptr s, mpz_srcptr u, mpz_srcptr v) {
    struct gcd k;
    mpz_t t;
    mpz_init(t);
    gcd_init(&k, w, u, v, 1);
    gcd_reduce(&k);
    real.mpz_gcdext(g, s, t, k.a, k.b);
    composite_mpz_mul(w, s, s, k.x);
    composite_mpz_mul(w, t, t, k.y);
    real.mpz_add(s, s, t);
    gcd_clear(&k);
    mpz_clear(t);
}

/* s = what is nearest to 0 of s modulo |v| / g. */
static void normalise(struct composite *w, mpz_ptr s, mpz_srcptr v, mpz_srcptr g) {
    mpz_t m, twice;
    mpz_init(m);
    mpz_init(twice);
    mpz_set(m, v);
    m->_mp_size = (int)mpz_size(v);
    take_out(w, m, g);
    modulo(w, s, m);
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
    call_open();
    mpz_divexact(t, t, v);
    call_close(&w->call);
}

LARGE void gcdext_large(mpz_ptr g, mpz_ptr s, mpz_ptr t, mpz_srcptr u, mpz_srcptr v) {
    COMPOSITE_FRAME;
    struct composite w;
    size_t un = mpz_size(u), vn = mpz_size(v);
    mpz_t common, x, y;
    if (!composite_begin(&w, CALL_ROW(mpz_gcdext), min_u64(un, vn), &thresholds.gcd, un + vn)) {
        real.mpz_gcdext(g, s, t, u, v);
        return;
    }
    mpz_init(common);
    mpz_init(x);
    mpz_init(y);
    cofactor(&w, common, x, u, v);
    normalise(&w, x, v, common);
    if (u->_mp_size < 0)
        mpz_neg(x, x);
    if (t)
        other_cofactor(&w, y, common, x, u, v);
    mpz_set(g, common); /* u and v are no longer wanted */
    if (s)
        mpz_set(s, x);
    if (t)
        mpz_set(t, y);
    mpz_clear(common);
    mpz_clear(x);
    mpz_clear(y);
    composite_end(&w);
}

/* s and t may be NULL. */
EXPORT void mpz_gcdext(mpz_ptr g, mpz_ptr s, mpz_ptr t, mpz_srcptr u, mpz_srcptr v) {
    if (call_one_is_small(&u->_mp_size, &v->_mp_size, &thresholds.gcd))
        real.mpz_gcdext(g, s, t, u, v);
    else
        gcdext_large(g, s, t, u, v);
}

/* Where there is no inverse r keeps its value. */
LARGE int invert_large(mpz_ptr r, mpz_srcptr u, mpz_srcptr m) {
    COMPOSITE_FRAME;
    struct composite w;
    size_t un = mpz_size(u), mn = mpz_size(m);
    mpz_t g, x;
    if (!composite_begin(&w, CALL_ROW(mpz_invert), min_u64(un, mn), &thresholds.gcd, un + mn))
        return real.mpz_invert(r, u, m);
    mpz_init(g);
    mpz_init(x);
    cofactor(&w, g, x, u, m);
    int exists = mpz_cmp_ui(g, 1) == 0;
    if (exists) {
        if (u->_mp_size < 0)
            mpz_neg(x, x);
        modulo(&w, x, m);
        mpz_set(r, x);
    }
    mpz_clear(g);
    mpz_clear(x);
    composite_end(&w);
    return exists;
}

EXPORT int mpz_invert(mpz_ptr r, mpz_srcptr u, mpz_srcptr m) {
    if (call_one_is_small(&u->_mp_size, &m->_mp_size, &thresholds.gcd))
        return real.mpz_invert(r, u, m);
    return invert_large(r, u, m);
}
