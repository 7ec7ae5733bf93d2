/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the sum of those terms of a cyclic product that wrap around (its wrapped part,
 * kernels/check/wraparound.h). The host checks the product by this sum. */
#include "kernels/check/key.h"
#include "kernels/check/wraparound.h"

/* The two operands. limbs_read reads limb i of u and limb n - 1 - i of v. */
struct limbs {
    GLOBAL const u32 *u, *v;
    u32 u_limbs, v_limbs, n;
};
FN void limbs_read(const struct limbs *l, u32 i, u64 *u, u64 *v) {
    *u = limb(l->u, l->u_limbs, i);
    *v = limb(l->v, l->v_limbs, l->n - 1 - i);
}

#if !defined(ON_CPU)
#define TILE WRAPAROUND_TILE /* limbs of each work-item that a group reads at once */
/* Distance between the limbs of adjacent work-items, chosen so that they are in different banks. */
#define PITCH (TILE + 1)
#define ROWS (WRAPAROUND_THREADS / TILE) /* work-items whose limbs are loaded in a step */
#endif

/* Computes the wrapped part of a product of two numbers, which count as n < 2^31 limbs each.
 * Limbs behind an operand's end are 0. Each group handles WRAPAROUND_THREADS times `each` limbs.
 * Group g stores WRAPAROUND_ENTRIES entries, XORed with the key, from out[out_at +
 * WRAPAROUND_ENTRIES g].
 *
 * A digit has `digit` limbs. u_at and v_at must be even. base and up are arguments of
 * wraparound_end. */
KERNEL(WRAPAROUND_THREADS)
wraparound(GLOBAL const u32 *u, u64 u_at, u64 un, GLOBAL const u32 *v, u64 v_at, u64 vn,
           GLOBAL const u32 *table_words, u64 table_at, u32 n, u32 digit, u32 each, u64 base,
           u64 up, u64 out_at, u64 key, GLOBAL u64 *out) {
    LOCAL_ARRAY(struct wraparound_part, parts, WRAPAROUND_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV], high = table[RESIDUE_HIGH];
    struct wraparound_walk walk = {0, 0, 0, 0, 0, {0, 0}};
    u32 id = LOCAL_ID;
    u64 mine = id == 0 ? key_of(key, out) : 0;
    struct limbs from = {u + u_at, v + v_at, (u32)(un / 2), (u32)(vn / 2), n};
#if defined(ON_CPU)
    u32 last = (GROUP_X * WRAPAROUND_THREADS + id + 1) * each - 1;
    for (u32 k = 0; k < each; k++) {
        u64 a, b;
        limbs_read(&from, last - k, &a, &b);
        wraparound_next(&walk, a, b, digit, high, m, minv);
    }
#else
    LOCAL_ARRAY(u64, us, WRAPAROUND_THREADS * PITCH);
    LOCAL_ARRAY(u64, vs, WRAPAROUND_THREADS * PITCH);
    u32 row = id / TILE, column = id % TILE;
    u32 last = (GROUP_X * WRAPAROUND_THREADS + row + 1) * each - 1 - column;
    for (u32 done = 0; done < each; done += TILE) {
        BARRIER();
        UNROLL
        for (u32 k = 0; k < TILE; k++) {
            u32 to = (row + k * ROWS) * PITCH + column;
            u64 a, b;
            limbs_read(&from, last - done + k * ROWS * each, &a, &b);
            us[to] = a, vs[to] = b;
        }
        BARRIER();
        for (u32 k = 0; k < TILE && done + k < each; k++)
            wraparound_next(&walk, us[id * PITCH + k], vs[id * PITCH + k], digit, high, m, minv);
    }
#endif
    parts[id] = wraparound_end(&walk, base, up, table[RESIDUE_ONE], m, minv);
    for (u32 count = 1; count < WRAPAROUND_THREADS; count *= 2) {
        BARRIER();
        if (id % (2 * count) == 0) {
            parts[id] = wraparound_join(parts[id], parts[id + count], up, up, m, minv);
            up = residue_product(up, up, m, minv);
        }
    }
    if (id == 0) {
        out_at += (u64)GROUP_X * WRAPAROUND_ENTRIES;
        out[out_at] = parts[0].u ^ mine;
        out[out_at + 1] = parts[0].v ^ mine;
        out[out_at + 2] = parts[0].sum ^ mine;
    }
}
