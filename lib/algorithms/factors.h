/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The product of many words, as a tree: on the device, or of halves of about the same length. */
#ifndef MPGPU_FACTORS_H
#define MPGPU_FACTORS_H

#include "lib/algorithms/composite.h"

struct limb_tree;

struct factors {
    mp_ptr p;          /* limbs, each the product of some words */
    size_t n, alloc;   /* of those */
    mp_limb_t pending; /* what the next limb is so far */
    bool failed;       /* there was no memory */
};

/* None; their product is 1.  factors_clear must follow. */
void factors_init(struct factors *f);

/* Room for n limbs, and what a tree of them takes besides. */
void factors_reserve(struct factors *f, size_t n);

/* A limb of its own. */
void factors_push(struct factors *f, mp_limb_t limb);

/* One more, not 0.  If there is no memory for it, factors_product says so. */
static inline void factors_add(struct factors *f, mp_limb_t word) {
    mp_limb_t product;
    if (__builtin_mul_overflow(f->pending, word, &product)) {
        factors_push(f, f->pending);
        product = word;
    }
    f->pending = product;
}

/* What is pending becomes a limb.  False where there is or was no memory. */
bool factors_flush(struct factors *f);

/* The limbs of g as well, and what is pending there. */
void factors_join(struct factors *f, const struct factors *g);

/* x = 2^twos times the product of all, inside a composite operation; f has none then.  False, and x
 * is as it was, if there is or was no memory. */
bool factors_product(struct composite *w, struct factors *f, unsigned long twos, mpz_ptr x);

/* x = 2^(64 limbs) times what `t` describes, by the device alone.  False where it does not do it; x
 * is any number then. */
bool factors_on_device(struct composite *w, struct limb_tree *t, size_t limbs, mpz_ptr x);

void factors_clear(struct factors *f);

#endif
