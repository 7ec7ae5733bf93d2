/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A mock of FLINT 3's functions for products of limbs.  It computes by GMP and counts the calls of
 * each function. */
#include <gmp.h>

#pragma GCC visibility push(default)

#ifndef FLINT_VERSION
#define FLINT_VERSION "3.6.0"
#endif
char flint_version[] = FLINT_VERSION;

enum { FUNCTIONS = 5 };
long flint_like_calls[FUNCTIONS];

mp_limb_t _flint_mpn_mul(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn);
void _flint_mpn_mul_n(mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n);
mp_limb_t _flint_mpn_sqr(mp_ptr rp, mp_srcptr up, mp_size_t n);
void flint_mpn_mul_fft_main(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn);
void mpn_mul_default_mpn_ctx(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn);
mp_limb_t flint_like(int function, mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                     mp_size_t vn);

mp_limb_t _flint_mpn_mul(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn) {
    flint_like_calls[0]++;
    return mpn_mul(rp, up, un, vp, vn);
}

void _flint_mpn_mul_n(mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n) {
    flint_like_calls[1]++;
    mpn_mul_n(rp, up, vp, n);
}

mp_limb_t _flint_mpn_sqr(mp_ptr rp, mp_srcptr up, mp_size_t n) {
    flint_like_calls[2]++;
    mpn_sqr(rp, up, n);
    return rp[2 * n - 1];
}

void flint_mpn_mul_fft_main(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn) {
    flint_like_calls[3]++;
    mpn_mul(rp, up, un, vp, vn);
}

void mpn_mul_default_mpn_ctx(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn) {
    flint_like_calls[4]++;
    mpn_mul(rp, up, un, vp, vn);
}

/* Calls a function of the mock by its exported name, as FLINT's functions call each other.  Returns
 * the highest limb of the product. */
mp_limb_t flint_like(int function, mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                     mp_size_t vn) {
    switch (function) {
    case 0:
        return _flint_mpn_mul(rp, up, un, vp, vn);
    case 1:
        _flint_mpn_mul_n(rp, up, vp, vn);
        return rp[2 * vn - 1];
    case 2:
        return _flint_mpn_sqr(rp, up, un);
    case 3:
        flint_mpn_mul_fft_main(rp, up, un, vp, vn);
        break;
    default:
        mpn_mul_default_mpn_ctx(rp, up, un, vp, vn);
    }
    return rp[un + vn - 1];
}
