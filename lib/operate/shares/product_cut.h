/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How a product is cut into shares for several devices. */
#ifndef MPGPU_PRODUCT_CUT_H
#define MPGPU_PRODUCT_CUT_H

#include <stdbool.h>
#include <stddef.h>

enum { PRODUCT_SHARES = 8 };

/* The longer operand is cut: share i multiplies its limbs from[i] to from[i + 1] by the shorter
 * one, so it makes limbs from[i] to from[i + 1] + vn of the result, all added up.  It delivers
 * limbs at[i] to at[i + 1], which lie among them.  All but the last are multiples of
 * PRODUCT_CUT_LIMBS. */
struct product_cut {
    unsigned shares;
    size_t vn;
    size_t from[PRODUCT_SHARES + 1], at[PRODUCT_SHARES + 1];
    /* Of the shorter one: share i uploads its limbs lent[i] to lent[i + 1] for all, where devices
     * copy from one another. */
    size_t lent[PRODUCT_SHARES + 1];
};

enum { PRODUCT_CUT_LIMBS = 64 };

/* Cut un >= vn >= 1 limbs into equal shares, 1 <= shares <= PRODUCT_SHARES.  False where a share
 * would have fewer limbs of the longer operand than PRODUCT_CUT_LIMBS. */
bool product_cut_init(struct product_cut *c, size_t un, size_t vn, unsigned shares);

/* The limbs that share i makes: its product. */
size_t product_cut_limbs(const struct product_cut *c, unsigned i);

/* What share `by` has made of that which share `to` delivers: *limbs limbs from limb *at of the
 * result on, at a multiple of PRODUCT_CUT_LIMBS.  False: nothing. */
bool product_cut_part(const struct product_cut *c, unsigned by, unsigned to, size_t *at,
                      size_t *limbs);

/* The limbs that share i delivers and no other has a part of, from limb *at of the result on; 0,
 * and *at is at[i + 1], where there are none.  All below *at, and all above them, others add to. */
size_t product_cut_alone(const struct product_cut *c, unsigned i, size_t *at);

#endif
