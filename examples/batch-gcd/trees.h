/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For each number, the product of all others modulo it: the gcd of both has the common factors (D.
 * Bernstein, How to find smooth parts of integers, 2004; N.  Heninger and others, Mining your Ps
 * and Qs, 2012). */
#ifndef BATCH_GCD_TREES_H
#define BATCH_GCD_TREES_H

#include <gmp.h>
#include <stddef.h>

/* Computes them by the trees of mpgpu.h. */
void trees_by_device(mpz_t *r, mpz_t *n, size_t count);

/* Computes them by GMP in all threads. */
void trees_by_gmp(mpz_t *r, mpz_t *n, size_t count);

#endif
