/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products by a factor whose transform is kept in device memory. */
#include "lib/calc/calc_factor.h"

#include "lib/multiply/ntt.h"

struct calc_factor calc_factor_make(struct calc *c, unsigned which, struct number x, uint64_t most,
                                    uint64_t least) {
    struct calc_factor f = {.x = x, .most = most, .least = least, .slot = SLOT_FACTOR_0 + which};
    f.is_kept = !c->host && c->engine->keep(c, &f);
    return f;
}

void calc_factor_mul(struct calc *c, struct number r, struct number u,
                     const struct calc_factor *f) {
    struct number product = number_part(r, 0, u.words + f->x.words);
    if (!f->is_kept) {
        calc_mul(c, r, u, f->x);
        return;
    }
    c->engine->mul_kept(c, product, u, f);
    calc_zero(c, number_part(r, product.words, r.words));
}

struct number calc_factor_mul_wrapped(struct calc *c, struct number u,
                                      const struct calc_factor *f) {
    if (f->least > 0 && !f->is_kept)
        return calc_mul_wrapped(c, f->least, u, f->x);
    struct number r = calc_take(c, f->ring ? f->ring + NTT_SURPLUS : u.words + f->x.words);
    if (!f->ring) {
        calc_factor_mul(c, r, u, f);
        return r;
    }
    c->engine->mul_kept(c, r, u, f);
    return number_part(r, 0, f->ring);
}
