/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What wraps round in a product: the launch, and the sum of its parts. */
#include "lib/multiply/wraparound.h"

#include "kernels/check/wraparound.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"

/* Limbs of a work-item: as the kernel reads them, or where each reads its own. */
#define LEAST_LIMBS WRAPAROUND_TILE
#define LEAST_LIMBS_ON_CPU 16

/* B^limbs in Montgomery form, in which B = 2^64 = R is q.one^2. */
static uint64_t up(uint64_t limbs, struct check_modulus q) {
    return modulus_power(modulus_mul(q.one, q.one, q), limbs, q);
}

/* The limbs of a work-item, whole digits: as many as make WRAPAROUND_MOST groups, but not fewer
 * than `least`. */
static uint64_t share(uint64_t n, unsigned digit, uint64_t least) {
    const uint64_t items = WRAPAROUND_MOST * WRAPAROUND_THREADS;
    uint64_t each = ceil_div(n, items);
    if (each < least)
        each = least;
    return ceil_div(each, digit) * digit;
}

enum gpu_status wraparound_launch(struct wraparound *w, struct context *s, struct number u,
                                  struct number v, uint64_t n, struct wraparound_digits d,
                                  gpu_mem out, uint64_t at) {
    const uint64_t least = s->dev.caps.simd ? LEAST_LIMBS_ON_CPU : LEAST_LIMBS;
    const uint64_t each = share(n, d.limbs, least);
    *w = (struct wraparound){.limbs = each * WRAPAROUND_THREADS};
    w->parts = ceil_div(n, w->limbs);
    w->more = w->parts * w->limbs - n;
    return launch_wraparound(
        s, d.is_balanced, launch_row(w->parts), u.mem, u.at, u.words, v.mem, v.at, v.words,
        s->slot[SLOT_TABLES].mem, tables_residue_at(), (uint32_t)n, d.limbs, d.plus, (uint32_t)each,
        up(d.limbs > 1 ? d.limbs : 0, s->modulus), up(each, s->modulus), at, out);
}

struct wraparound_residues wraparound_residues(const struct wraparound *w, const uint64_t *entries,
                                               struct check_modulus q) {
    const uint64_t over_part = up(w->limbs, q);
    uint64_t over_all = q.one;
    struct wraparound_part all = {0, 0, 0};
    for (uint64_t i = w->parts; i-- > 0;) {
        const uint64_t *e = entries + i * WRAPAROUND_ENTRIES;
        const struct wraparound_part part = {e[0], e[1], e[2]};
        all = wraparound_join(part, all, over_part, over_all, q.m, q.minv);
        over_all = residue_product(over_all, over_part, q.m, q.minv);
    }
    const uint64_t less = modulus_power(1, w->more, q); /* R / B^more, as 1 is R / B */
    return (struct wraparound_residues){.u = modulus_mul(all.u, q.one, q),
                                        .v = residue_product(all.v, less, q.m, q.minv),
                                        .wrapped =
                                            modulus_mul(modulus_mul(all.sum, q.one, q), q.one, q)};
}
