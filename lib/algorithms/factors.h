/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The product of many words by a tree: on the device, or on the host with halves of about equal
 * lengths. */
#ifndef MPGPU_FACTORS_H
#define MPGPU_FACTORS_H

#include "lib/algorithms/composite.h"

struct limb_tree;

struct factors {
    mp_ptr p;          /* the factors; each limb is a product of words */
    size_t n, alloc;   /* number of limbs in use; number allocated */
    mp_limb_t pending; /* product of added words that is not yet stored in p */
    bool failed;       /* memory was missing */
};

/* Makes f empty: its product is 1.  factors_clear must follow. */
void factors_init(struct factors *f);

/* Allocates room for n limbs and for the tree that multiplies them. */
void factors_reserve(struct factors *f, size_t n);

/* Appends a limb. */
void factors_push(struct factors *f, mp_limb_t limb);

/* Multiplies the product by a word other than 0.  If memory is missing, factors_product will return
 * false. */
static inline void factors_add(struct factors *f, mp_limb_t word) {
    mp_limb_t product;
    if (__builtin_mul_overflow(f->pending, word, &product)) {
        factors_push(f, f->pending);
        product = word;
    }
    f->pending = product;
}

/* Appends the limb f->pending to the factors in f->p.  Returns false if memory is missing, or was
 * missing in an earlier call. */
bool factors_flush(struct factors *f);

/* Appends all factors of g to f. */
void factors_join(struct factors *f, const struct factors *g);

/* Sets x to 2^twos times the product of f's factors, and empties f. Returns false if memory is
 * missing, or was missing in an earlier call; x is any number then. */
bool factors_product(struct composite *w, struct factors *f, unsigned long twos, mpz_ptr x);

/* x = 2^(64 * limbs) times the product that `t` describes, on the device alone. Returns false if
 * the device does not compute it; x is any number then. */
bool factors_on_device(struct composite *w, struct limb_tree *t, size_t limbs, mpz_ptr x);

void factors_clear(struct factors *f);

#endif
