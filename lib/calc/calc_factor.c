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

/* For products modulo B^n - 1, or in this device's half of that or of products in full. */
static bool plan_length(struct calc *c, struct calc_factor *f) {
    struct ntt_length half;
    if (f->least > 0)
        f->ring = calc_plan_ring(c, &f->length, f->least, f->most, f->x.words);
    f->is_halved = calc_half_plan(c, &half, f->ring, f->most, f->x.words);
    if (f->is_halved)
        f->length = half;
    return f->is_halved || f->ring > 0;
}

/* For products in full, of one piece and one part. */
static bool plan_full(struct calc *c, struct calc_factor *f) {
    uint64_t un = f->most, vn = f->x.words;
    struct product p;
    calc_plan_product(c, &p, un > vn ? un : vn, un > vn ? vn : un);
    if (c->status != GPU_OK || p.algorithm != BY_NTT || p.ntt.parts > 1 || p.ntt.pieces > 1)
        return false;
    f->length = p.ntt.length;
    return true;
}

struct calc_factor calc_factor_make(struct calc *c, unsigned which, struct number x, uint64_t most,
                                    uint64_t least) {
    struct calc_factor f = {.x = x, .most = most, .least = least, .slot = SLOT_FACTOR_0 + which};
    f.is_kept = !c->host && (plan_length(c, &f) || plan_full(c, &f));
    if (f.is_kept)
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

static void mul_in_ring(struct calc *c, struct number r, struct number u,
                        const struct calc_factor *f) {
    if (calc_is_on(c))
        c->s->mulmod_answer = calc_next_open(c);
    if (calc_is_on(c))
        c->status = ntt_mul_kept_wraparound(c->s, &f->length, r, u, f->slot);
}

struct number calc_factor_mul_wrapped(struct calc *c, struct number u,
                                      const struct calc_factor *f) {
    if (f->least > 0 && !f->is_kept)
        return calc_mul_wrapped(c, f->least, u, f->x);
    struct number r = calc_take(c, f->ring ? f->ring + NTT_SURPLUS : u.words + f->x.words);
    if (!f->ring)
        calc_factor_mul(c, r, u, f);
    else if (f->is_halved)
        calc_half_mul(c, &f->length, number_part(r, 0, f->ring), u, NULL, f->slot);
    else
        mul_in_ring(c, r, u, f);
    return f->ring ? number_part(r, 0, f->ring) : r;
}
