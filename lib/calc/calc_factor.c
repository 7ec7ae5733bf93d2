/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products by a factor whose transform is kept. */
#include "lib/calc/calc_factor.h"

#include "lib/calc/calc_half.h"
#include "lib/calc/calc_head.h"
#include "lib/multiply/ntt.h"

/* The transform, of f->length. */
static void keep(struct calc *c, const struct calc_factor *f) {
    if (c->is_planning && c->status == GPU_OK)
        c->status = ntt_keep_room(c->s, &f->length, f->slot);
    calc_need(c, f->x);
    if (calc_is_on(c))
        c->status = ntt_keep(c->s, &f->length, f->slot, f->x);
}

struct calc_factor calc_factor_make(struct calc *c, unsigned which, struct number x,
                                    uint64_t most) {
    struct calc_factor f = {.x = x, .most = most, .slot = SLOT_FACTOR_0 + which};
    struct product p;
    f.is_kept = f.is_halved = calc_half_plan(c, &f.length, 0, most, x.words);
    if (f.is_halved) {
        keep(c, &f);
        return f;
    }
    calc_plan_product(c, &p, most > x.words ? most : x.words, most > x.words ? x.words : most);
    if (c->status != GPU_OK || p.algorithm != BY_NTT || p.ntt.parts > 1 || p.ntt.pieces > 1)
        return f;
    f.is_kept = true;
    f.length = p.ntt.length;
    keep(c, &f);
    return f;
}

void calc_factor_mul(struct calc *c, struct number r, struct number u,
                     const struct calc_factor *f) {
    struct number product = number_part(r, 0, u.words + f->x.words);
    if (!f->is_kept) {
        calc_mul(c, r, u, f->x);
        return;
    }
    if (f->is_halved)
        calc_half_mul(c, &f->length, product, u, NULL, f->slot);
    else if (calc_is_on(c))
        c->status = ntt_mul_kept(c->s, &f->length, product, u, f->slot);
    calc_zero(c, number_part(r, product.words, r.words));
}
