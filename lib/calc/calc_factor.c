/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products by a factor whose transform is kept. */
#include "lib/calc/calc_factor.h"

#include "lib/base/conf.h"
#include "lib/calc/calc_head.h"
#include "lib/multiply/mulmod.h"
#include "lib/multiply/ntt.h"
#include "lib/selftest/selftest.h"

/* The transform of f->x, of f->length. */
static void keep(struct calc *c, struct calc_factor *f) {
    f->is_kept = true;
    if (c->is_planning)
        c->status = ntt_keep_room(c->s, &f->length, f->slot);
    calc_need(c, f->x);
    if (calc_is_on(c))
        c->status = ntt_keep(c->s, &f->length, f->slot, f->x);
}

struct calc_factor calc_factor_make(struct calc *c, unsigned which, struct number x,
                                    uint64_t most) {
    struct calc_factor f = {.x = x, .most = most, .slot = SLOT_FACTOR_0 + which};
    struct product p;
    calc_plan_product(c, &p, most > x.words ? most : x.words, most > x.words ? x.words : most);
    if (c->status != GPU_OK || p.algorithm != BY_NTT || p.ntt.parts > 1 || p.ntt.pieces > 1)
        return f;
    f.length = p.ntt.length;
    keep(c, &f);
    return f;
}

struct calc_factor calc_factor_make_ring(struct calc *c, unsigned which, struct number x,
                                         uint64_t most, uint64_t least) {
    struct calc_factor f = {.x = x, .most = most, .slot = SLOT_FACTOR_0 + which};
    struct mulmod m = {.words = mulmod_minus_words(least, most, x.words)};
    if (m.words > 0)
        mulmod_plan(c->s, &m, most > x.words ? most : x.words, most > x.words ? x.words : most,
                    WITHOUT(ALGORITHM_SSA) | WITHOUT(ALGORITHM_FFT));
    if (m.words == 0 || m.way != MULMOD_BY_NTT || c->status != GPU_OK)
        return calc_factor_make(c, which, x, most);
    f.ring = m.words;
    f.length = m.length;
    if (c->is_planning)
        c->status = selftest_mulmod(c->s, &f.length.ring[0]);
    if (c->status == GPU_OK)
        keep(c, &f);
    return f;
}

uint64_t calc_factor_ring_words(const struct calc_factor *f) {
    return f->ring + NTT_SURPLUS;
}

void calc_factor_mul(struct calc *c, struct number r, struct number u,
                     const struct calc_factor *f) {
    uint64_t words = f->ring > 0 ? calc_factor_ring_words(f) : u.words + f->x.words;
    struct number product = number_part(r, 0, words);
    if (!f->is_kept) {
        calc_mul(c, r, u, f->x);
        return;
    }
    if (calc_is_on(c))
        c->status = ntt_mul_kept(c->s, &f->length, product, u, f->slot);
    calc_zero(c, number_part(r, product.words, r.words));
}
