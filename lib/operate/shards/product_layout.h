/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Cuts a product into shards: the parts that several devices compute. */
#ifndef MPGPU_PRODUCT_LAYOUT_H
#define MPGPU_PRODUCT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

enum { PRODUCT_SHARDS = 8 };

/* How a product is cut. The longer operand is cut at the limbs from[i]. Device i multiplies its
 * limbs from[i] to from[i + 1] of that operand by the shorter operand, of vn limbs. This partial
 * product covers limbs from[i] to from[i + 1] + vn of the result.
 *
 * Device i delivers limbs at[i] to at[i + 1] of the result. They are inside its own partial
 * product. If other devices' partial products overlap these limbs, device i adds those products.
 * All indices but the last are multiples of PRODUCT_LAYOUT_LIMBS. */
struct product_layout {
    unsigned shards;
    size_t vn;
    size_t from[PRODUCT_SHARDS + 1], at[PRODUCT_SHARDS + 1];
    /* If devices can copy from one another, device i uploads limbs broadcast[i] to broadcast[i + 1]
     * of the shorter operand, and the other devices copy them. */
    size_t broadcast[PRODUCT_SHARDS + 1];
};

enum { PRODUCT_LAYOUT_LIMBS = 64 };

/* Cuts a product of un and vn limbs into equal shards, where un >= vn >= 1 and 1 <= shards <=
 * PRODUCT_SHARDS. Returns false if a shard would have less than PRODUCT_LAYOUT_LIMBS limbs of the
 * longer operand. */
bool product_layout_init(struct product_layout *c, size_t un, size_t vn, unsigned shards);

/* Returns the number of limbs of the product that device i computes. */
size_t product_layout_limbs(const struct product_layout *c, unsigned i);

/* Finds the limbs of the product of device `by` that device `to` must add to its own product. Sets
 * *at to the limb of the result at which they begin, a multiple of PRODUCT_LAYOUT_LIMBS, and *limbs
 * to their number. Returns false if there are none. */
bool product_layout_part(const struct product_layout *c, unsigned by, unsigned to, size_t *at,
                         size_t *limbs);

/* Returns how many limbs of the result come from device i's product alone, and sets *at to the
 * first of them. Device i also delivers limbs below and above these, where other devices' products
 * are added. If no limbs come from device i alone, returns 0 and sets *at to at[i + 1]. */
size_t product_layout_alone(const struct product_layout *c, unsigned i, size_t *at);

#endif
