/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_gcd and mpz_lcm. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/composite.h"
#include "lib/algorithms/divide_mpz.h"
#include "lib/algorithms/gcd.h"
#include "lib/gmp/real.h"

LARGE void gcd_large(mpz_ptr g, mpz_srcptr u, mpz_srcptr v) {
    size_t un = mpz_size(u), vn = mpz_size(v);
    CALL_RESULTS(w, x, (g), CALL_ROW(mpz_gcd), min_u64(un, vn), &thresholds.gcd, un + vn,
                 (gcd_mpz_by_products(w, x[0], u, v), true), real.mpz_gcd(g, u, v));
}

EXPORT void mpz_gcd(mpz_ptr g, mpz_srcptr u, mpz_srcptr v) {
    INTERCEPT(thresholds_one_is_small(&u->_mp_size, &v->_mp_size, &thresholds.gcd),
              real.mpz_gcd(g, u, v), gcd_large(g, u, v));
}

/* Computes the least common multiple r = |u / gcd(u, v) * v|. */
static void lcm(struct composite *w, mpz_ptr r, mpz_srcptr u, mpz_srcptr v) {
    mpz_t x;
    mpz_init(x);
    gcd_mpz(w, x, u, v);
    divide_mpz_exact(w, x, u, x);
    composite_mpz_mul(w, r, x, v);
    r->_mp_size = (int)mpz_size(r);
    mpz_clear(x);
}

LARGE void lcm_large(mpz_ptr r, mpz_srcptr u, mpz_srcptr v) {
    size_t un = mpz_size(u), vn = mpz_size(v);
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_lcm), min_u64(un, vn), &thresholds.gcd, un + vn,
                 (lcm(w, x[0], u, v), true), real.mpz_lcm(r, u, v));
}

EXPORT void mpz_lcm(mpz_ptr r, mpz_srcptr u, mpz_srcptr v) {
    INTERCEPT(thresholds_one_is_small(&u->_mp_size, &v->_mp_size, &thresholds.gcd),
              real.mpz_lcm(r, u, v), lcm_large(r, u, v));
}
