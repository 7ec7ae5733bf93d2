/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds twins: new moduli that a set has already.  Twins have a fast search of their own,
 * because a program may test the same moduli again: then all of them are twins. */
#ifndef BATCH_GCD_TWINS_H
#define BATCH_GCD_TWINS_H

#include "examples/batch-gcd/moduli.h"
#include "examples/batch-gcd/set.h"

struct twin {
    mpz_srcptr n;
    size_t i;      /* index of n among the new moduli */
    size_t number; /* number of the twin in the set, from 1 */
};

struct twins {
    struct twin *twin; /* ascending numbers */
    size_t count;
};

/* Finds the new moduli that the set has too, among those with the indices i[0] to i[count - 1].
 * Reads all of the set unless count is 0. */
struct twins twins_find(const struct moduli *m, const size_t *i, size_t count, const struct set *s);
void twins_free(struct twins *t);

/* Divides the product of a group by its moduli that are twins.  Several threads may call it. */
void twins_divide(mpz_ptr product, const struct twins *t, size_t group);

#endif
