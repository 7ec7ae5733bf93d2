/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Pointers to FLINT's own functions, which the intercepting functions call. */
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

/* A matrix of integers (fmpz_mat_struct), row by row. An entry is an integer below 2^62 in absolute
 * value, or 2^62 plus the address of an mpz_t divided by 4. */
struct flint_mat {
    long *entries;
    long rows, columns;
    union {
        long stride; /* from FLINT 3.3 on: distance of two rows in `entries` */
        long **row;  /* before */
    } at;
};

/* Sets r = u v; r may be u or v. */
typedef void flint_mat_function(struct flint_mat *r, const struct flint_mat *u,
                                const struct flint_mat *v);

/* Sets an entry to {xp, n}, a number in two's complement. */
typedef void flint_set_function(long *entry, const mp_limb_t *xp, long n);

/* FLINT's functions, from the first FLINT that was loaded. For functions that FLINT lacks, GMP's
 * products. */
struct flint_real {
    flint_mul_function *_flint_mpn_mul, *flint_mpn_mul_fft_main, *mpn_mul_default_mpn_ctx;
    flint_mul_n_function *_flint_mpn_mul_n;
    flint_sqr_function *_flint_mpn_sqr;
    /* the version of FLINT is known: its functions behave as flint_mul_function and the types after
     * it describe */
    bool is_known;
    flint_mat_function *fmpz_mat_mul;
    flint_set_function *fmpz_set_signed_ui_array;
    /* has_matrices: is_known, and FLINT has both functions above. has_strides: from FLINT 3.3 on
     * (struct flint_mat). */
    bool has_matrices, has_strides;
};

/* Returns FLINT's functions. The first call searches for them. Any thread may call it. */
const struct flint_real *flint_real(void);

#endif
