/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Pointers to FLINT's own product functions, which the intercepting functions call. */
#ifndef MPGPU_FLINT_REAL_H
#define MPGPU_FLINT_REAL_H

#include <gmp.h>
#include <stdbool.h>

/* Sets {rp, un + vn} = {up, un} {vp, vn} for un, vn >= 1; rp overlaps no operand. Returns the
 * highest limb. FLINT declares some of these functions void: their callers ignore the value. */
typedef mp_limb_t flint_mul_function(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                                     mp_size_t vn);
typedef mp_limb_t flint_mul_n_function(mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n);
typedef mp_limb_t flint_sqr_function(mp_ptr rp, mp_srcptr up, mp_size_t n);

/* FLINT's functions, from the first FLINT that was loaded. For functions that FLINT lacks, GMP's
 * products. */
struct flint_real {
    flint_mul_function *_flint_mpn_mul, *flint_mpn_mul_fft_main, *mpn_mul_default_mpn_ctx;
    flint_mul_n_function *_flint_mpn_mul_n;
    flint_sqr_function *_flint_mpn_sqr;
    /* the version of FLINT is known: its functions behave as flint_mul_function and the types after
     * it describe */
    bool is_known;
};

/* Returns FLINT's functions. The first call searches for them. Any thread may call it. */
const struct flint_real *flint_real(void);

#endif
