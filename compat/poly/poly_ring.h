/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Arithmetic of arrays of residues modulo n. Functions of type int return 0 or an error of
 * include/mpgpu.h, with the text of mpgpu_error. */
#ifndef MPGPU_POLY_RING_H
#define MPGPU_POLY_RING_H

#include "compat/batch/modulus.h"

/* The ring Z/n of the integers modulo n. A residue has k limbs. k may exceed the limbs of n, so
 * that a product's coefficients have at most 2 k limbs. */
struct poly_ring {
    size_t k, bits; /* bits: the number of bits of n */
    mp_limb_t limb; /* the modulus n if it has one limb, otherwise 0 */
    mp_limb_t *m;   /* the modulus n of the ring, in k limbs */
    mpgpu_batch_modulus *modulus;
    mpz_srcptr n;
};

/* Opens the ring of a positive modulus, which must not change before poly_ring_close. Call
 * poly_ring_close even after an error. */
int poly_ring_open(struct poly_ring *ring, mpz_srcptr modulus);
void poly_ring_close(struct poly_ring *ring);

/* Returns the number of limbs of a residue modulo `modulus`. */
size_t poly_ring_limbs(mpz_srcptr modulus);

/* Allocates an array *p of `count` residues, all 0. Returns 0 or MPGPU_NO_MEMORY. The caller frees
 * it by poly_ring_free, which accepts NULL. */
int poly_ring_alloc(const struct poly_ring *ring, mp_limb_t **p, size_t count);
void poly_ring_free(const struct poly_ring *ring, mp_limb_t *p, size_t count);

/* An array of `polys` polynomials, of `length` coefficients each, one polynomial after the
 * other. */
struct poly_array {
    const mp_limb_t *limbs;
    size_t length;
};

/* Multiplies `polys` pairs of polynomials of u and v. Stores coefficients `low` to `low` + `length`
 * - 1 of each product in r. low + length must not exceed the length of a product. */
int poly_ring_mul(const struct poly_ring *ring, mp_limb_t *r, size_t low, size_t length,
                  struct poly_array u, struct poly_array v, size_t polys);

/* u, v and r are arrays of `count` residues. Set each residue of r to the sum (or the difference)
 * of the corresponding residues of u and v. r may be u or v. */
void poly_ring_add(const struct poly_ring *ring, mp_limb_t *r, const mp_limb_t *u,
                   const mp_limb_t *v, size_t count);
void poly_ring_sub(const struct poly_ring *ring, mp_limb_t *r, const mp_limb_t *u,
                   const mp_limb_t *v, size_t count);

/* Sets {r, length} to the inverse of the power series {u, un}. `inverse` is the inverse of
 * coefficient 0 of u, a residue of ring->k limbs. */
int poly_ring_invert(const struct poly_ring *ring, mp_limb_t *r, size_t length, const mp_limb_t *u,
                     size_t un, const mp_limb_t *inverse);

/* Sets r, of ring->k limbs, to x modulo ring->n. */
void poly_ring_reduce(const struct poly_ring *ring, mp_limb_t *r, mpz_srcptr x);

#endif
