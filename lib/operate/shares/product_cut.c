/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Cuts a product into shares, one for each device.
 * Let at[i] = from[i] + w_i, where w_i is vn i / shares rounded down. Device i delivers the limbs
 * at[i] to at[i + 1] of the result. They are limbs of its own product, since at[i] >= from[i] and
 * at[i + 1] = from[i + 1] + w_(i+1) <= from[i + 1] + vn. */
#include "lib/operate/shares/product_cut.h"

/* Returns x i / shares without overflow, rounded down to a multiple of PRODUCT_CUT_LIMBS. */
static size_t fraction(size_t x, unsigned i, unsigned shares) {
    size_t limbs = x / shares * i + x % shares * i / shares;
    return limbs / PRODUCT_CUT_LIMBS * PRODUCT_CUT_LIMBS;
}

bool product_cut_init(struct product_cut *c, size_t un, size_t vn, unsigned shares) {
    c->shares = shares;
    c->vn = vn;
    for (unsigned i = 0; i < shares; i++) {
        c->from[i] = fraction(un, i, shares);
        c->lent[i] = fraction(vn, i, shares);
        c->at[i] = c->from[i] + c->lent[i];
    }
    c->from[shares] = un;
    c->at[shares] = un + vn;
    c->lent[shares] = vn;
    return un / shares >= PRODUCT_CUT_LIMBS;
}

size_t product_cut_limbs(const struct product_cut *c, unsigned i) {
    return c->from[i + 1] - c->from[i] + c->vn;
}

bool product_cut_part(const struct product_cut *c, unsigned by, unsigned to, size_t *at,
                      size_t *limbs) {
    size_t begin = c->from[by] > c->at[to] ? c->from[by] : c->at[to];
    size_t made = c->from[by + 1] + c->vn, end = made < c->at[to + 1] ? made : c->at[to + 1];
    *at = begin;
    *limbs = begin < end ? end - begin : 0;
    return begin < end;
}

size_t product_cut_alone(const struct product_cut *c, unsigned i, size_t *at) {
    size_t begin = i == 0 ? 0 : c->from[i] + c->vn;
    size_t next = i + 1 == c->shares ? c->at[i + 1] : c->from[i + 1];
    size_t end = next < c->at[i + 1] ? next : c->at[i + 1];
    *at = begin < end ? begin : c->at[i + 1];
    return begin < end ? end - begin : 0;
}
