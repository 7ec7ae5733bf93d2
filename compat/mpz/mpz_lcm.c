/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_lcm. */
#include "lib/gmp/real.h"
#include "lib/algorithms/composite_mpz.h"

/* r = |u / gcd(u, v) v| */
LARGE void lcm_large(mpz_ptr r, mpz_srcptr u, mpz_srcptr v) {
    COMPOSITE_FRAME;
    struct composite w;
    size_t un = mpz_size(u), vn = mpz_size(v);
    mpz_t x;
    if (!composite_begin(&w, CALL_ROW(mpz_lcm), min_u64(un, vn), &thresholds.gcd, un + vn)) {
        real.mpz_lcm(r, u, v);
        return;
    }
    mpz_init(x);
    call_open();
    mpz_gcd(x, u, v);
    mpz_divexact(x, u, x);
    call_close(&w.call);
    composite_mpz_mul(&w, r, x, v);
    r->_mp_size = (int)mpz_size(r);
    mpz_clear(x);
    composite_end(&w);
}

EXPORT void mpz_lcm(mpz_ptr r, mpz_srcptr u, mpz_srcptr v) {
    if (call_one_is_small(&u->_mp_size, &v->_mp_size, &thresholds.gcd))
        real.mpz_lcm(r, u, v);
    else
        lcm_large(r, u, v);
}
