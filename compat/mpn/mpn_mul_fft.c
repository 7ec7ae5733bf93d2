/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpn_mul_fft: products modulo B^n + 1 for B = 2^64, as lib/gmp/gmp_internal.h describes. */
#include "compat/intercept/call.h"
#include "lib/gmp/real.h"
#include "lib/job/limbs.h"

/* Returns true if the device can compute the product. GMP computes it if an operand is empty or
 * longer than the modulus. */
static bool is_plain(size_t rn, size_t un, size_t vn) {
    return un >= 1 && un <= rn && vn >= 1 && vn <= rn;
}

LARGE mp_limb_t mul_fft_large(mp_ptr rp, mp_size_t rn, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                              mp_size_t vn, int k) {
    mp_limb_t top;
    size_t size = is_plain((size_t)rn, (size_t)un, (size_t)vn) ? (size_t)rn : 0;
    CALL_DEVICE(
        CALL_ROW(mpn_mul_fft), size, &thresholds.mulmod, (size_t)(un + vn),
        limbs_mulmod(LIMBS_MULMOD_BNP1, rp, (size_t)rn, up, (size_t)un, vp, (size_t)vn, &top),
        top = real.mpn_mul_fft(rp, rn, up, un, vp, vn, k));
    return top;
}

EXPORT mp_limb_t mpn_mul_fft(mp_ptr rp, mp_size_t rn, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                             mp_size_t vn, ON_STACK int k) {
    INTERCEPT(thresholds_is_small((size_t)rn, &thresholds.mulmod),
              real.mpn_mul_fft(rp, rn, up, un, vp, vn, k),
              mul_fft_large(rp, rn, up, un, vp, vn, k));
}
