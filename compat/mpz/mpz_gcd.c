/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_gcd. */
#include "lib/algorithms/gcd.h"
#include "lib/gmp/real.h"

LARGE void gcd_large(mpz_ptr g, mpz_srcptr u, mpz_srcptr v) {
    COMPOSITE_FRAME;
    struct composite w;
    struct gcd k;
    size_t un = mpz_size(u), vn = mpz_size(v);
    if (!composite_begin(&w, CALL_ROW(mpz_gcd), min_u64(un, vn), &thresholds.gcd, un + vn)) {
        real.mpz_gcd(g, u, v);
        return;
    }
    gcd_init(&k, &w, u, v, 0);
    gcd_reduce(&k);
    real.mpz_gcd(g, k.a, k.b);
    gcd_clear(&k);
    composite_end(&w);
}

EXPORT void mpz_gcd(mpz_ptr g, mpz_srcptr u, mpz_srcptr v) {
    if (call_one_is_small(&u->_mp_size, &v->_mp_size, &thresholds.gcd))
        real.mpz_gcd(g, u, v);
    else
        gcd_large(g, u, v);
}
