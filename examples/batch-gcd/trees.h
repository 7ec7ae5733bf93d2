/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Product and remainder trees of many numbers (D. Bernstein, How to find smooth parts of integers,
 * 2004; N. Heninger and others, Mining your Ps and Qs, 2012).  Every function ends the program with
 * a message on failure. */
#ifndef BATCH_GCD_TREES_H
#define BATCH_GCD_TREES_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

struct trees;

/* Creates a tree of n[0] to n[count - 1], which must remain until trees_destroy; count is not 0.
 * The tree is one of mpgpu.h, or, if `by_gmp`, GMP computes it in all threads. */
struct trees *trees_create(mpz_t *n, size_t count, bool by_gmp);
void trees_destroy(struct trees *t);

/* Sets r to the product of all numbers. */
void trees_root(mpz_ptr r, struct trees *t);

/* Sets r[i] to x modulo n[i]; x is not negative. */
void trees_mod(mpz_t *r, struct trees *t, mpz_srcptr x);

/* Sets r[i] to the product of all numbers except n[i], modulo n[i].  The gcd of r[i] and n[i]
 * contains the factors that n[i] has in common with other numbers. */
void trees_cofactors(mpz_t *r, struct trees *t);

/* Compute the product of n[0] to n[count - 1], and x modulo each of them, with a tree of mpgpu.h.
 * Several threads may call them; count is not 0. */
void trees_product(mpz_ptr r, mpz_t *n, size_t count);
void trees_remainders(mpz_t *r, mpz_t *n, size_t count, mpz_srcptr x);

#endif
