/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Greatest common divisors of limbs: passes the limbs as mpz to the functions of gcd.h. */
#include "lib/algorithms/theory/gcd_limbs.h"

#include "lib/algorithms/gcd.h"
#include "lib/gmp/normalize.h"

/* Copies the limbs of x to p.  Returns their number. */
static size_t copy(mp_ptr p, mpz_srcptr x) {
    size_t n = mpz_size(x);
    if (n)
        mpn_copyi(p, x->_mp_d, (mp_size_t)n);
    return n;
}

size_t gcd_limbs(struct composite *w, mp_ptr gp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    const mpz_t u = MPZ_ROINIT_N((mp_ptr)up, (mp_size_t)normalize(up, un));
    const mpz_t v = MPZ_ROINIT_N((mp_ptr)vp, (mp_size_t)vn);
    mpz_t g;
    mpz_init(g);
    gcd_mpz_by_products(w, g, u, v);
    size_t gn = copy(gp, g);
    mpz_clear(g);
    return gn;
}

size_t gcd_limbs_cofactor(struct composite *w, mp_ptr gp, mp_ptr sp, mp_size_t *sn, mp_srcptr up,
                          size_t un, mp_srcptr vp, size_t vn) {
    const mpz_t u = MPZ_ROINIT_N((mp_ptr)up, (mp_size_t)normalize(up, un));
    const mpz_t v = MPZ_ROINIT_N((mp_ptr)vp, (mp_size_t)vn);
    mpz_t g, s;
    mpz_init(g);
    mpz_init(s);
    gcd_cofactors(w, g, s, NULL, u, v);
    size_t gn = copy(gp, g);
    copy(sp, s);
    *sn = s->_mp_size;
    mpz_clear(g);
    mpz_clear(s);
    return gn;
}
