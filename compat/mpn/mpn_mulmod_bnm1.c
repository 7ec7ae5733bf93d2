/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpn_mulmod_bnm1 and mpn_sqrmod_bnm1: products modulo B^n - 1 for B = 2^64, which GMP's division,
 * modular powers and roots use (lib/gmp/gmp_internal.h). */
#include "compat/intercept/call.h"
#include "lib/gmp/real.h"
#include "lib/job/limbs.h"

static enum outcome mulmod(mp_ptr rp, mp_size_t rn, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                           mp_size_t vn) {
    mp_limb_t top;
    return limbs_mulmod(LIMBS_MULMOD_BNM1, rp, (size_t)rn, up, (size_t)un, vp, (size_t)vn, &top);
}

LARGE void mulmod_large(mp_ptr rp, mp_size_t rn, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                        mp_size_t vn, mp_ptr scratch) {
    CALL_DEVICE(CALL_ROW(mpn_mulmod_bnm1), (size_t)rn, &thresholds.mulmod, (size_t)(un + vn),
                mulmod(rp, rn, up, un, vp, vn),
                real.mpn_mulmod_bnm1(rp, rn, up, un, vp, vn, scratch));
}

EXPORT void mpn_mulmod_bnm1(mp_ptr rp, mp_size_t rn, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                            mp_size_t vn, mp_ptr ON_STACK scratch) {
    INTERCEPT(thresholds_is_small((size_t)rn, &thresholds.mulmod),
              real.mpn_mulmod_bnm1(rp, rn, up, un, vp, vn, scratch),
              mulmod_large(rp, rn, up, un, vp, vn, scratch));
}

LARGE void sqrmod_large(mp_ptr rp, mp_size_t rn, mp_srcptr up, mp_size_t un, mp_ptr scratch) {
    CALL_DEVICE(CALL_ROW(mpn_sqrmod_bnm1), (size_t)rn, &thresholds.mulmod, (size_t)un,
                mulmod(rp, rn, up, un, up, un), real.mpn_sqrmod_bnm1(rp, rn, up, un, scratch));
}

EXPORT void mpn_sqrmod_bnm1(mp_ptr rp, mp_size_t rn, mp_srcptr up, mp_size_t un, mp_ptr scratch) {
    INTERCEPT(thresholds_is_small((size_t)rn, &thresholds.mulmod),
              real.mpn_sqrmod_bnm1(rp, rn, up, un, scratch), sqrmod_large(rp, rn, up, un, scratch));
}
