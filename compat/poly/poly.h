/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The implementation of polynomials (include/mpgpu.h). Their coefficients are in host memory;
 * products are computed on the device. */
#ifndef MPGPU_COMPAT_POLY_H
#define MPGPU_COMPAT_POLY_H

#include "compat/poly/poly_ring.h"

/* A coefficient has n limbs; coefficient i begins at limbs[i * n]. Coefficients are in two's
 * complement over Z, otherwise less than the modulus. The highest coefficient is not 0. */
struct mpgpu_poly {
    bool has_modulus;
    mpz_t modulus; /* valid if has_modulus */
    size_t length, n;
    mp_limb_t *limbs;
};

/* Replaces the coefficients of r by `length` coefficients of n limbs at `limbs`, an array that
 * malloc has allocated and that r then owns. Removes leading zeros. */
void poly_take(mpgpu_poly *r, mp_limb_t *limbs, size_t length, size_t n);

/* Returns 0 if the polynomials are not NULL and have the same modulus, otherwise
 * MPGPU_ARGUMENTS. */
int poly_are_alike(const mpgpu_poly *u, const mpgpu_poly *v, const mpgpu_poly *r);

/* Sets {*rp, un + vn - 1} to the product of two polynomials over Z that are not 0. Allocates *rp,
 * which the caller frees, with *n limbs for each coefficient. Returns 0 or an error. */
int poly_multiply(mp_limb_t **rp, size_t *n, const mpgpu_poly *u, const mpgpu_poly *v);

#endif
