/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Odd primes in groups whose product fits in a limb: one pass over a number yields its residues
 * modulo each prime. */
#ifndef MPGPU_PRIME_GROUP_H
#define MPGPU_PRIME_GROUP_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/algorithms/primes.h"

struct prime_group {
    unsigned long next; /* the first prime of the next group, or 0 */
    size_t count;
    unsigned long p[GMP_NUMB_BITS];
    mp_limb_t product;
};

/* Prepares g: prime_group_next then yields the first group of primes. */
void prime_group_begin(struct prime_group *g, struct primes *primes);

/* Sets g to the next group of primes.  Returns false after the last group. */
bool prime_group_next(struct prime_group *g, struct primes *primes);

/* Returns x modulo g->product, for x >= 0. */
mp_limb_t prime_group_residue(const struct prime_group *g, mpz_srcptr x);

#endif
