/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpn_mul, mpn_mul_n and mpn_sqr: rp overlaps no operand, by GMP's contract. */
#include "compat/intercept/call.h"
#include "lib/operate/limbs.h"
#include "lib/gmp/real.h"

LARGE mp_limb_t mul_large(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn) {
    struct call call;
    const _Atomic size_t *threshold = call_product_threshold(up, (size_t)un, vp, (size_t)vn);
    if (!call_begin(&call, CALL_ROW(mpn_mul), (size_t)vn, threshold, (size_t)(un + vn)))
        return real.mpn_mul(rp, up, un, vp, vn);
    enum outcome why = limbs_mul(rp, up, (size_t)un, vp, (size_t)vn);
    if (why != OUTCOME_DONE)
        real.mpn_mul(rp, up, un, vp, vn);
    call_end(&call, why);
    return rp[un + vn - 1];
}

EXPORT mp_limb_t mpn_mul(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn) {
    if (call_product_is_small(up, (size_t)un, vp, (size_t)vn))
        return real.mpn_mul(rp, up, un, vp, vn);
    return mul_large(rp, up, un, vp, vn);
}

LARGE void mul_n_large(mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n) {
    struct call call;
    const _Atomic size_t *threshold = call_product_threshold(up, (size_t)n, vp, (size_t)n);
    if (!call_begin(&call, CALL_ROW(mpn_mul_n), (size_t)n, threshold, 2 * (size_t)n)) {
        real.mpn_mul_n(rp, up, vp, n);
        return;
    }
    enum outcome why = limbs_mul(rp, up, (size_t)n, vp, (size_t)n);
    if (why != OUTCOME_DONE)
        real.mpn_mul_n(rp, up, vp, n);
    call_end(&call, why);
}

EXPORT void mpn_mul_n(mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n) {
    if (call_product_is_small(up, (size_t)n, vp, (size_t)n))
        real.mpn_mul_n(rp, up, vp, n);
    else
        mul_n_large(rp, up, vp, n);
}

LARGE void sqr_large(mp_ptr rp, mp_srcptr up, mp_size_t n) {
    struct call call;
    if (!call_begin(&call, CALL_ROW(mpn_sqr), (size_t)n, &thresholds.sqr, (size_t)n)) {
        real.mpn_sqr(rp, up, n);
        return;
    }
    enum outcome why = limbs_mul(rp, up, (size_t)n, up, (size_t)n);
    if (why != OUTCOME_DONE)
        real.mpn_sqr(rp, up, n);
    call_end(&call, why);
}

EXPORT void mpn_sqr(mp_ptr rp, mp_srcptr up, mp_size_t n) {
    if (call_is_small((size_t)n, &thresholds.sqr))
        real.mpn_sqr(rp, up, n);
    else
        sqr_large(rp, up, n);
}
