/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Pointers to FLINT's own functions, which the intercepting functions call, and to functions that
 * change FLINT's integers. */
#ifndef MPGPU_FLINT_REAL_H
#define MPGPU_FLINT_REAL_H

#include <gmp.h>
#include <stdbool.h>

/* Sets {rp, un + vn} = {up, un} {vp, vn} for un, vn >= 1; rp overlaps no operand. Returns the
 * highest limb. Callers ignore it if FLINT declares the function void. */
typedef mp_limb_t flint_mul_function(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                                     mp_size_t vn);
typedef mp_limb_t flint_mul_n_function(mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n);
typedef mp_limb_t flint_sqr_function(mp_ptr rp, mp_srcptr up, mp_size_t n);

/* FLINT's integer fmpz: a word of 62 bits and its sign. If the two highest bits are 01, the others
 * are the address of an mpz_t, divided by 4. */
typedef long flint_integer;

/* FLINT's nmod_t: a modulus of one limb, with values that FLINT computes from it. */
struct flint_modulus {
    mp_limb_t n, inverse, shift;
};

/* Set {r, un + vn - 1} to the product of the polynomials {u, un} and {v, vn}, un >= vn >= 1.
 * Squares set {r, 2 un - 1}. r overlaps no operand. Coefficients modulo m are less than m.n. */
typedef void flint_integers_mul_function(flint_integer *r, const flint_integer *u, long un,
                                         const flint_integer *v, long vn);
typedef void flint_integers_sqr_function(flint_integer *r, const flint_integer *u, long un);
/* n is the modulus, or a structure of FLINT 3 that begins with the modulus. FLINT accepts
 * coefficients of any value and sign, and returns coefficients from 0 to n - 1. */
typedef void flint_residues_mul_function(flint_integer *r, const flint_integer *u, long un,
                                         const flint_integer *v, long vn, const flint_integer *n);
typedef void flint_limbs_mul_function(mp_limb_t *r, const mp_limb_t *u, long un, const mp_limb_t *v,
                                      long vn, struct flint_modulus m);

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

/* Pointers to the functions of one FLINT. If FLINT lacks a product function for limbs, the pointer
 * leads to GMP's. */
struct flint_real {
    flint_mul_function *_flint_mpn_mul, *flint_mpn_mul_fft_main, *mpn_mul_default_mpn_ctx;
    flint_mul_n_function *_flint_mpn_mul_n;
    flint_sqr_function *_flint_mpn_sqr;
    /* true if this library knows the version of FLINT: the functions then behave as the types above
     * describe */
    bool is_known;
    flint_integers_mul_function *_fmpz_poly_mul;
    flint_integers_sqr_function *_fmpz_poly_sqr;
    flint_limbs_mul_function *_nmod_poly_mul;
    flint_residues_mul_function *_fmpz_mod_poly_mul;
    /* fmpz_set_signed_ui_array sets *r to a number in two's complement. fmpz_init2 makes *r an
     * mpz_t with room for `limbs` limbs; *r must not be an mpz_t before. */
    void (*fmpz_set_signed_ui_array)(flint_integer *r, const mp_limb_t *limbs, long n);
    void (*fmpz_init2)(flint_integer *r, unsigned long limbs);
    bool has_polynomials; /* true if is_known, and all functions for polynomials were found */
    flint_mat_function *fmpz_mat_mul;
    /* has_matrices: is_known, and FLINT has fmpz_mat_mul and fmpz_set_signed_ui_array. has_strides:
     * from FLINT 3.3 on (struct flint_mat). */
    bool has_matrices, has_strides;
};

/* Returns the functions of the FLINT that was loaded first. The first call searches for them. Any
 * thread may call it. */
const struct flint_real *flint_real(void);

/* Returns the functions of the FLINT that is used by the object with the code at `caller`. Two
 * modules of a program may use different versions of FLINT, whose structures differ. Any thread may
 * call this. */
const struct flint_real *flint_real_of(const void *caller);
#define FLINT_OF_CALLER() flint_real_of(__builtin_return_address(0))

/* The code for large operands in an intercepted product function of FLINT. Counts the call in
 * `row`. Evaluates on_device, an outcome, if a device should compute the product. Otherwise, or if
 * the device fails, executes by_flint, in which FLINT's products of numbers are intercepted. */
#define CALL_FLINT(row, size, threshold, limbs, on_device, by_flint)                               \
    do {                                                                                           \
        struct call call;                                                                          \
        const bool is_ours = call_begin(&call, row, size, threshold, limbs);                       \
        enum outcome outcome = is_ours ? call_dispatch(&call, size, threshold) : OUTCOME_SMALL;    \
        if (outcome == OUTCOME_DONE)                                                               \
            outcome = on_device;                                                                   \
        if (is_ours && outcome != OUTCOME_DONE) {                                                  \
            dispatch_give_up(&call.dispatch);                                                      \
            call_open();                                                                           \
        }                                                                                          \
        if (outcome != OUTCOME_DONE)                                                               \
            by_flint;                                                                              \
        if (is_ours && outcome != OUTCOME_DONE)                                                    \
            call_close(&call);                                                                     \
        if (is_ours)                                                                               \
            call_end(&call, outcome);                                                              \
    } while (0)

#endif
