/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Cuts a product into shares for several devices. */
#ifndef MPGPU_PRODUCT_CUT_H
#define MPGPU_PRODUCT_CUT_H

#include <stdbool.h>
#include <stddef.h>

enum { PRODUCT_SHARES = 8 };

/* The longer operand is cut. Share i multiplies its limbs from[i] to from[i + 1] by the shorter
 * operand; its product is added at limb from[i] of the result, and has limbs up to from[i + 1] +
 * vn. Share i delivers limbs at[i] to at[i + 1], which are among these. All values but the last are
 * multiples of PRODUCT_CUT_LIMBS. */
struct product_cut {
    unsigned shares;
    size_t vn;
    size_t from[PRODUCT_SHARES + 1], at[PRODUCT_SHARES + 1];
    /* If devices copy from one another, share i uploads limbs lent[i] to lent[i + 1] of the shorter
     * operand for all. */
    size_t lent[PRODUCT_SHARES + 1];
};

enum { PRODUCT_CUT_LIMBS = 64 };

/* Cuts un >= vn >= 1 limbs into equal shares, 1 <= shares <= PRODUCT_SHARES. Returns false if a
 * share would have fewer limbs of the longer operand than PRODUCT_CUT_LIMBS. */
bool product_cut_init(struct product_cut *c, size_t un, size_t vn, unsigned shares);

/* Returns the limbs of share i's product. */
size_t product_cut_limbs(const struct product_cut *c, unsigned i);

/* Finds the part of share `by`'s product that share `to` delivers: *limbs limbs from limb *at of
 * the result, a multiple of PRODUCT_CUT_LIMBS. Returns false if there is none. */
bool product_cut_part(const struct product_cut *c, unsigned by, unsigned to, size_t *at,
                      size_t *limbs);

/* Returns the count of limbs of the result that only share i contributes to, from limb *at. Other
 * shares contribute to the limbs below and above them that share i delivers. Returns 0, and sets
 * *at to at[i + 1], if there are none. */
size_t product_cut_alone(const struct product_cut *c, unsigned i, size_t *at);

#endif
