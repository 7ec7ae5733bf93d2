/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the multiple of B^n - 1 or B^n + 1 that a product loses when transforms wrap it around:
 * launches the kernel, and combines the residues of all work-groups. */
#include "lib/multiply/wraparound.h"

#include "kernels/check/wraparound.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"

/* The least limbs that a work-item processes. On a GPU the work-items of a group read adjacent
 * limbs together. On a CPU each work-item reads its own limbs, so it should have more of them. */
#define LEAST_LIMBS WRAPAROUND_TILE
#define LEAST_LIMBS_ON_CPU 16

/* Returns B^limbs in Montgomery form, where B = 2^64. Montgomery's R is also 2^64, and q.one is R
 * modulo q.m. So q.one^2 modulo q.m is the Montgomery form of B. */
static uint64_t up(uint64_t limbs, struct check_modulus q) {
    return modulus_power(modulus_mul(q.one, q.one, q), limbs, q);
}

/* Returns how many limbs each work-item processes: whole digits, at least `least` limbs, and enough
 * for WRAPAROUND_MOST groups to process all n limbs. */
static uint64_t share(uint64_t n, unsigned digit, uint64_t least) {
    const uint64_t items = WRAPAROUND_MOST * WRAPAROUND_THREADS;
    uint64_t each = ceil_div(n, items);
    if (each < least)
        each = least;
    return ceil_div(each, digit) * digit;
}

enum gpu_status wraparound_launch(struct wraparound *w, struct context *s, struct number u,
                                  struct number v, uint64_t n, struct wraparound_digits d,
                                  struct answers_key key, gpu_mem out, uint64_t at) {
    const uint64_t least = s->dev.caps.simd ? LEAST_LIMBS_ON_CPU : LEAST_LIMBS;
    const uint64_t each = share(n, d.limbs, least);
    *w = (struct wraparound){.limbs = each * WRAPAROUND_THREADS};
    w->parts = ceil_div(n, w->limbs);
    w->more = w->parts * w->limbs - n;
    return launch_wraparound(
        s, d.is_balanced, launch_row(w->parts), u.mem, u.at, u.words, v.mem, v.at, v.words,
        s->slot[SLOT_TABLES].mem, tables_residue_at(), (uint32_t)n, d.limbs, d.plus, (uint32_t)each,
        up(d.limbs > 1 ? d.limbs : 0, s->modulus), up(each, s->modulus), at, key.argument, out);
}

/* Reads three residues that one work-group has written. Returns false if a residue is not less than
 * m: then it was not written for this check, or the device is faulty. */
static bool read_part(const struct context *s, struct answers_key key, uint64_t at, uint64_t m,
                      struct wraparound_part *part) {
    const uint64_t u = answers_by_key(s, key, at), v = answers_by_key(s, key, at + 1),
                   sum = answers_by_key(s, key, at + 2);
    *part = (struct wraparound_part){u % m, v % m, sum % m};
    return u < m && v < m && sum < m;
}

bool wraparound_residues(const struct wraparound *w, const struct context *s,
                         struct answers_key key, uint64_t at, struct check_modulus q,
                         struct wraparound_residues *residues) {
    const uint64_t over_part = up(w->limbs, q);
    uint64_t over_all = q.one;
    struct wraparound_part part, all = {0, 0, 0};
    bool is_whole = true;
    for (uint64_t i = w->parts; i-- > 0;) {
        is_whole &= read_part(s, key, at + i * WRAPAROUND_ENTRIES, q.m, &part);
        all = wraparound_join(part, all, over_part, over_all, q.m, q.minv);
        over_all = residue_product(over_all, over_part, q.m, q.minv);
    }
    /* 1 / B^more in Montgomery form, where 1 / B is R / B = 1 */
    const uint64_t less = modulus_power(1, w->more, q);
    *residues = (struct wraparound_residues){
        .u = modulus_mul(all.u, q.one, q),
        .v = residue_product(all.v, less, q.m, q.minv),
        .wrapped = modulus_mul(modulus_mul(all.sum, q.one, q), q.one, q)};
    return is_whole;
}
