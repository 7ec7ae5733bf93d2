/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpn_mullo_n and mpn_sqrlo: products modulo B^n for B = 2^64, as lib/gmp/gmp_internal.h
 * describes. */
#include "compat/intercept/call.h"
#include "lib/gmp/real.h"
#include "lib/job/limbs.h"

static enum outcome low(mp_ptr rp, mp_srcptr up, mp_srcptr vp, size_t n) {
    mp_limb_t top;
    return limbs_mulmod(LIMBS_MULMOD_LOW, rp, n, up, n, vp, n, &top);
}

LARGE void mullo_large(mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n) {
    size_t size = (size_t)n;
    CALL_DEVICE(CALL_ROW(mpn_mullo_n), size, thresholds_of_product(up, size, vp, size), 2 * size,
                low(rp, up, vp, size), real.mpn_mullo_n(rp, up, vp, n));
}

EXPORT void mpn_mullo_n(mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n) {
    INTERCEPT(thresholds_product_is_small(up, (size_t)n, vp, (size_t)n),
              real.mpn_mullo_n(rp, up, vp, n), mullo_large(rp, up, vp, n));
}

LARGE void sqrlo_large(mp_ptr rp, mp_srcptr up, mp_size_t n) {
    size_t size = (size_t)n;
    CALL_DEVICE(CALL_ROW(mpn_sqrlo), size, &thresholds.sqr, size, low(rp, up, up, size),
                real.mpn_sqrlo(rp, up, n));
}

EXPORT void mpn_sqrlo(mp_ptr rp, mp_srcptr up, mp_size_t n) {
    INTERCEPT(thresholds_is_small((size_t)n, &thresholds.sqr), real.mpn_sqrlo(rp, up, n),
              sqrlo_large(rp, up, n));
}
