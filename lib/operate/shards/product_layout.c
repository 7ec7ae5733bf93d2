/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Cuts a product into shards, one for each device (product_layout.h explains the members). The
 * product of device i covers limbs from[i] to from[i + 1] + vn of the result, where vn is the
 * length of the shorter operand. at[i] is from[i] plus vn i / shards, rounded down. So limbs at[i]
 * to at[i + 1], which device i delivers, are inside its own product. */
#include "lib/operate/shards/product_layout.h"

/* Returns x i / shards without overflow, rounded down to a multiple of PRODUCT_LAYOUT_LIMBS. */
static size_t fraction(size_t x, unsigned i, unsigned shards) {
    size_t limbs = x / shards * i + x % shards * i / shards;
    return limbs / PRODUCT_LAYOUT_LIMBS * PRODUCT_LAYOUT_LIMBS;
}

bool product_layout_init(struct product_layout *c, size_t un, size_t vn, unsigned shards) {
    c->shards = shards;
    c->vn = vn;
    for (unsigned i = 0; i < shards; i++) {
        c->from[i] = fraction(un, i, shards);
        c->broadcast[i] = fraction(vn, i, shards);
        c->at[i] = c->from[i] + c->broadcast[i];
    }
    c->from[shards] = un;
    c->at[shards] = un + vn;
    c->broadcast[shards] = vn;
    return un / shards >= PRODUCT_LAYOUT_LIMBS;
}

size_t product_layout_limbs(const struct product_layout *c, unsigned i) {
    return c->from[i + 1] - c->from[i] + c->vn;
}

bool product_layout_part(const struct product_layout *c, unsigned by, unsigned to, size_t *at,
                         size_t *limbs) {
    size_t begin = c->from[by] > c->at[to] ? c->from[by] : c->at[to];
    size_t made = c->from[by + 1] + c->vn, end = made < c->at[to + 1] ? made : c->at[to + 1];
    *at = begin;
    *limbs = begin < end ? end - begin : 0;
    return begin < end;
}

size_t product_layout_alone(const struct product_layout *c, unsigned i, size_t *at) {
    size_t begin = i == 0 ? 0 : c->from[i] + c->vn;
    size_t next = i + 1 == c->shards ? c->at[i + 1] : c->from[i + 1];
    size_t end = next < c->at[i + 1] ? next : c->at[i + 1];
    *at = begin < end ? begin : c->at[i + 1];
    return begin < end ? end - begin : 0;
}
