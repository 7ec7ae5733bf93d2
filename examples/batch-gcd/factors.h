/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the moduli that have common factors with other moduli, and these factors. */
#ifndef BATCH_GCD_FACTORS_H
#define BATCH_GCD_FACTORS_H

#include "examples/batch-gcd/moduli.h"
#include "examples/batch-gcd/set.h"

/* A modulus that shares a factor with another one. */
struct partner {
    bool is_in_set;
    /* number of the partner in the set, from 1, if is_in_set; otherwise its index in the input */
    size_t number;
    mpz_t n;
};

struct found {
    size_t i;           /* index of the modulus */
    mpz_t factor;       /* a proper factor, or the modulus if none was found */
    size_t same_as;     /* index of the first equal modulus; i if there is no other */
    size_t same_in_set; /* number of the equal modulus in the set, or 0 */
    /* moduli that share a factor with modulus i; NULL if there is no set */
    struct partner *partner;
    size_t partners;
};

/* Finds the moduli that share a factor with another modulus of m or, unless s is NULL, with a
 * modulus of the set.  They are in the order of m.  The caller frees the array.  Uses GMP alone
 * if `by_gmp`. */
struct found *factors_find(const struct moduli *m, const struct set *s, bool by_gmp, size_t *count);
void factors_free(struct found *f, size_t count);

#endif
