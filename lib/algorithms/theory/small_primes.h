/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The odd primes whose product fits in a limb: one pass over a number yields its residues. */
#ifndef MPGPU_SMALL_PRIMES_H
#define MPGPU_SMALL_PRIMES_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

enum { SMALL_PRIMES = 15 };

static const unsigned char small_primes[SMALL_PRIMES] = {3,  5,  7,  11, 13, 17, 19, 23,
                                                         29, 31, 37, 41, 43, 47, 53};
#define SMALL_PRIMES_PRODUCT 16294579238595022365u

/* Returns true if one of the small primes divides {up, n}, n >= 1. */
static inline bool small_primes_divide(mp_srcptr up, size_t n) {
    mp_limb_t r = mpn_mod_1(up, (mp_size_t)n, SMALL_PRIMES_PRODUCT);
    for (size_t i = 0; i < SMALL_PRIMES; i++)
        if (r % small_primes[i] == 0)
            return true;
    return false;
}

#endif
