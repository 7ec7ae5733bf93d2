/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes, for each number, the product of all other numbers modulo this number. The gcd of
 * this remainder and the number has the common factors (D. Bernstein, How to find smooth parts
 * of integers, 2004; N. Heninger and others, Mining your Ps and Qs, 2012). */
#ifndef BATCH_GCD_TREES_H
#define BATCH_GCD_TREES_H

#include <gmp.h>
#include <stddef.h>

/* Computes the remainders by the product trees of mpgpu.h, on the device if there is one. */
void trees_by_device(mpz_t *r, mpz_t *n, size_t count);

/* Computes the remainders by GMP on the host, in all threads. */
void trees_by_gmp(mpz_t *r, mpz_t *n, size_t count);

#endif
