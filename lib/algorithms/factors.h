/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The product of many words, as a tree: of halves of about the same length. */
#ifndef MPGPU_FACTORS_H
#define MPGPU_FACTORS_H

#include "lib/algorithms/composite.h"

struct factors {
    mp_ptr p;          /* limbs, each the product of some words */
    size_t n, alloc;   /* of those */
    mp_limb_t pending; /* what the next limb is so far */
    bool failed;       /* there was no memory */
};

/* None; their product is 1.  factors_clear must follow. */
void factors_init(struct factors *f);

/* One more, not 0.  If there is no memory for it, factors_product says so. */
void factors_add(struct factors *f, mp_limb_t word);

/* x = the product of all, inside a composite operation; f has none then.  False, and x is as it
 * was, if there is or was no memory. */
bool factors_product(struct composite *w, struct factors *f, mpz_ptr x);

void factors_clear(struct factors *f);

#endif
