/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Intercepts FLINT's product functions for limbs: above some sizes, these functions do not call
 * GMP. FLINT 3.6 calls them for high products and products of polynomials, too.
 * flint_mpn_mul_fft_main exists in FLINT 2, too. */
#include "compat/flint/flint_real.h"

#include "compat/intercept/call.h"
#include "lib/job/limbs.h"

/* Computes a large product for any of FLINT's functions that have these five arguments. by_flint is
 * FLINT's own function, which computes the product if the device does not. */
LARGE mp_limb_t mul_large(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn,
                          flint_mul_function *by_flint) {
    const _Atomic size_t *threshold = thresholds_of_product(up, (size_t)un, vp, (size_t)vn);
    CALL_DEVICE(ROW_flint_mpn_mul, (size_t)min_u64((uint64_t)un, (uint64_t)vn), threshold,
                (size_t)(un + vn), limbs_mul(rp, up, (size_t)un, vp, (size_t)vn),
                by_flint(rp, up, un, vp, vn));
    return rp[un + vn - 1];
}

static inline bool is_small(mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn) {
    size_t n = (size_t)(un < vn ? un : vn);
    return thresholds_is_small(n, &thresholds.product) ||
           thresholds_is_small(n, thresholds_of_product(up, (size_t)un, vp, (size_t)vn)) ||
           !flint_real()->is_known;
}

#define MUL(name)                                                                                  \
    EXPORT mp_limb_t name(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn) {     \
        INTERCEPT(is_small(up, un, vp, vn), flint_real()->name(rp, up, un, vp, vn),                \
                  mul_large(rp, up, un, vp, vn, flint_real()->name));                              \
    }
flint_mul_function _flint_mpn_mul, flint_mpn_mul_fft_main, mpn_mul_default_mpn_ctx;
MUL(_flint_mpn_mul)
MUL(flint_mpn_mul_fft_main)
MUL(mpn_mul_default_mpn_ctx)

LARGE mp_limb_t mul_n_large(mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n) {
    const _Atomic size_t *threshold = thresholds_of_product(up, (size_t)n, vp, (size_t)n);
    CALL_DEVICE(ROW_flint_mpn_mul, (size_t)n, threshold, 2 * (size_t)n,
                limbs_mul(rp, up, (size_t)n, vp, (size_t)n),
                flint_real()->_flint_mpn_mul_n(rp, up, vp, n));
    return rp[2 * n - 1];
}

flint_mul_n_function _flint_mpn_mul_n;
EXPORT mp_limb_t _flint_mpn_mul_n(mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n) {
    INTERCEPT(is_small(up, n, vp, n), flint_real()->_flint_mpn_mul_n(rp, up, vp, n),
              mul_n_large(rp, up, vp, n));
}

LARGE mp_limb_t sqr_large(mp_ptr rp, mp_srcptr up, mp_size_t n) {
    CALL_DEVICE(ROW_flint_mpn_mul, (size_t)n, &thresholds.sqr, (size_t)n,
                limbs_mul(rp, up, (size_t)n, up, (size_t)n),
                flint_real()->_flint_mpn_sqr(rp, up, n));
    return rp[2 * n - 1];
}

flint_sqr_function _flint_mpn_sqr;
EXPORT mp_limb_t _flint_mpn_sqr(mp_ptr rp, mp_srcptr up, mp_size_t n) {
    INTERCEPT(thresholds_is_small((size_t)n, &thresholds.sqr) || !flint_real()->is_known,
              flint_real()->_flint_mpn_sqr(rp, up, n), sqr_large(rp, up, n));
}
