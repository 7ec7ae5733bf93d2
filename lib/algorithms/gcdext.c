/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Cofactors and inverses.
 *
 * Of all s with g = s u modulo v the one is wanted that is nearest to 0: |s| < |v|/(2g), or half
 * of |v/g| = 2, where that is 1 with the sign of u. The t that belongs to it is less than |u|/(2g)
 * but for |u| = 2g, and then has the sign of v: so GMP's manual defines both. */
#include "lib/algorithms/gcdext.h"

#include "lib/algorithms/composite_mpz.h"
#include "lib/algorithms/divide_mpz.h"
#include "lib/algorithms/gcd.h"
#include "lib/gmp/real.h"

/* g = gcd(u, v) and s |u| = g modulo |v|, of any size and sign. */
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

/* s = what is nearest to 0 of s modulo |v| / g. */
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

void gcdext_mpz(struct composite *w, mpz_ptr g, mpz_ptr s, mpz_ptr t, mpz_srcptr u, mpz_srcptr v) {
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
    mpz_set(g, common); /* u and v are no longer wanted */
    if (s)
        mpz_set(s, x);
    if (t)
        mpz_set(t, y);
    mpz_clear(common);
    mpz_clear(x);
    mpz_clear(y);
}

bool gcdext_invert(struct composite *w, mpz_ptr r, mpz_srcptr u, mpz_srcptr m) {
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
