/* SPDX-License-Identifier: LGPL-3.0-or-later
 * FLINT's own product functions, which the intercepted ones call. */
#ifndef MPGPU_FLINT_REAL_H
#define MPGPU_FLINT_REAL_H

#include <gmp.h>
#include <stdbool.h>

/* {rp, un + vn} = {up, un} {vp, vn}, un, vn >= 1; rp overlaps neither.  Whatever the C compiler
 * makes of a function of FLINT's without a result, the highest limb is one. */
typedef mp_limb_t flint_mul_function(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                                     mp_size_t vn);
typedef mp_limb_t flint_mul_n_function(mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n);
typedef mp_limb_t flint_sqr_function(mp_ptr rp, mp_srcptr up, mp_size_t n);

/* Functions of the FLINT that was loaded first; GMP's products for functions that it lacks. */
struct flint_real {
    flint_mul_function *_flint_mpn_mul, *flint_mpn_mul_fft_main, *mpn_mul_default_mpn_ctx;
    flint_mul_n_function *_flint_mpn_mul_n;
    flint_sqr_function *_flint_mpn_sqr;
    bool is_known; /* a version whose functions have these contracts */
};

/* Looks for them at the first call; any thread. */
const struct flint_real *flint_real(void);

#endif
