/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpn_gcd and mpn_gcdext. GMP's contract allows them to destroy their operands; only GMP's own
 * functions do. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/composite.h"
#include "lib/algorithms/gcd.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

/* ---- passes the limbs as mpz to the functions of gcd.h */

/* Copies the limbs of x to p.  Returns their number. */
static size_t copy(mp_ptr p, mpz_srcptr x) {
    size_t n = mpz_size(x);
    if (n)
        mpn_copyi(p, x->_mp_d, (mp_size_t)n);
    return n;
}

/* Writes the gcd of {up, un} and {vp, vn} to gp, for un >= vn >= 1 and vp[vn-1] != 0. Returns the
 * number of its limbs. gp may be up or vp. */
static size_t gcd_limbs(struct composite *w, mp_ptr gp, mp_srcptr up, size_t un, mp_srcptr vp,
                        size_t vn) {
    const mpz_t u = MPZ_ROINIT_N((mp_ptr)up, (mp_size_t)normalize(up, un));
    const mpz_t v = MPZ_ROINIT_N((mp_ptr)vp, (mp_size_t)vn);
    mpz_t g;
    mpz_init(g);
    gcd_mpz_by_products(w, g, u, v);
    size_t gn = copy(gp, g);
    mpz_clear(g);
    return gn;
}

/* Computes the gcd as gcd_limbs does, and the cofactor of u that mpn_gcdext returns: {sp, |*sn|},
 * negative if *sn < 0. gp and sp may be up and vp, in either order. */
static size_t gcd_limbs_cofactor(struct composite *w, mp_ptr gp, mp_ptr sp, mp_size_t *sn,
                                 mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
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

LARGE mp_size_t gcd_large(mp_ptr gp, mp_ptr up, mp_size_t un, mp_ptr vp, mp_size_t vn) {
    mp_size_t gn;
    CALL_COMPOSITE(w, CALL_ROW(mpn_gcd), (size_t)vn, &thresholds.gcd, (size_t)(un + vn),
                   (gn = (mp_size_t)gcd_limbs(w, gp, up, (size_t)un, vp, (size_t)vn), true),
                   gn = real.mpn_gcd(gp, up, un, vp, vn));
    return gn;
}

EXPORT mp_size_t mpn_gcd(mp_ptr gp, mp_ptr up, mp_size_t un, mp_ptr vp, mp_size_t vn) {
    INTERCEPT(thresholds_is_small((size_t)vn, &thresholds.gcd), real.mpn_gcd(gp, up, un, vp, vn),
              gcd_large(gp, up, un, vp, vn));
}

LARGE mp_size_t gcdext_large(mp_ptr gp, mp_ptr sp, mp_size_t *sn, mp_ptr up, mp_size_t un,
                             mp_ptr vp, mp_size_t vn) {
    mp_size_t gn;
    CALL_COMPOSITE(
        w, CALL_ROW(mpn_gcdext), (size_t)vn, &thresholds.gcd, (size_t)(un + vn),
        (gn = (mp_size_t)gcd_limbs_cofactor(w, gp, sp, sn, up, (size_t)un, vp, (size_t)vn), true),
        gn = real.mpn_gcdext(gp, sp, sn, up, un, vp, vn));
    return gn;
}

/* Compares un with the threshold before vn: un >= vn, and un is a register argument, so the
 * comparison needs no memory access. */
EXPORT mp_size_t mpn_gcdext(mp_ptr gp, mp_ptr sp, mp_size_t *sn, mp_ptr up, mp_size_t un, mp_ptr vp,
                            ON_STACK mp_size_t vn) {
    INTERCEPT(thresholds_is_small((size_t)un, &thresholds.gcd) ||
                  thresholds_is_small((size_t)vn, &thresholds.gcd),
              real.mpn_gcdext(gp, sp, sn, up, un, vp, vn),
              gcdext_large(gp, sp, sn, up, un, vp, vn));
}
