/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpn_mul, mpn_mul_n, mpn_sqr and mpn_nussbaumer_mul. GMP's contract forbids that rp overlaps an
 * operand. */
#include "compat/intercept/call.h"
#include "lib/gmp/real.h"
#include "lib/job/limbs.h"

#define RESULT(limbs) call_results(gmp_call, rp, (size_t)(limbs), NULL, 0)

/* Computes a large product. Returns its highest limb, as mpn_mul does. */
LARGE mp_limb_t mul_large(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn) {
    const _Atomic size_t *threshold = thresholds_of_product(up, (size_t)un, vp, (size_t)vn);
    CALL_DEVICE(CALL_ROW(mpn_mul), (size_t)vn, threshold, (size_t)(un + vn),
                limbs_mul(rp, up, (size_t)un, vp, (size_t)vn),
                (RESULT(un + vn), real.mpn_mul(rp, up, un, vp, vn)));
    return rp[un + vn - 1];
}

EXPORT mp_limb_t mpn_mul(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn) {
    INTERCEPT(thresholds_product_is_small(up, (size_t)un, vp, (size_t)vn),
              real.mpn_mul(rp, up, un, vp, vn), mul_large(rp, up, un, vp, vn));
}

LARGE void mul_n_large(mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n) {
    const _Atomic size_t *threshold = thresholds_of_product(up, (size_t)n, vp, (size_t)n);
    CALL_DEVICE(CALL_ROW(mpn_mul_n), (size_t)n, threshold, 2 * (size_t)n,
                limbs_mul(rp, up, (size_t)n, vp, (size_t)n),
                (RESULT(2 * n), real.mpn_mul_n(rp, up, vp, n)));
}

EXPORT void mpn_mul_n(mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n) {
    INTERCEPT(thresholds_product_is_small(up, (size_t)n, vp, (size_t)n),
              real.mpn_mul_n(rp, up, vp, n), mul_n_large(rp, up, vp, n));
}

LARGE void sqr_large(mp_ptr rp, mp_srcptr up, mp_size_t n) {
    CALL_DEVICE(CALL_ROW(mpn_sqr), (size_t)n, &thresholds.sqr, (size_t)n,
                limbs_mul(rp, up, (size_t)n, up, (size_t)n),
                (RESULT(2 * n), real.mpn_sqr(rp, up, n)));
}

EXPORT void mpn_sqr(mp_ptr rp, mp_srcptr up, mp_size_t n) {
    INTERCEPT(thresholds_is_small((size_t)n, &thresholds.sqr), real.mpn_sqr(rp, up, n),
              sqr_large(rp, up, n));
}

LARGE void nussbaumer_large(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn) {
    const _Atomic size_t *threshold = thresholds_of_product(up, (size_t)un, vp, (size_t)vn);
    CALL_DEVICE(CALL_ROW(mpn_nussbaumer_mul), (size_t)vn, threshold, (size_t)(un + vn),
                limbs_mul(rp, up, (size_t)un, vp, (size_t)vn),
                real.mpn_nussbaumer_mul(rp, up, un, vp, vn));
}

EXPORT void mpn_nussbaumer_mul(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn) {
    INTERCEPT(thresholds_product_is_small(up, (size_t)un, vp, (size_t)vn),
              real.mpn_nussbaumer_mul(rp, up, un, vp, vn), nussbaumer_large(rp, up, un, vp, vn));
}
