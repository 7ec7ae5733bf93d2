/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For the check of a result: residues of up to four numbers at once, and what wraps round in
 * a product. */
#include "kernels/check/wraparound.h"

/* Vector `index` of 4 words of {x + x_at, words}, zeros behind its end. */
FN void vector_load(u32 *v, GLOBAL const u32 *x, u64 x_at, u64 words, u64 index) {
    u64 at = 4 * index;
    if (x_at % 4 == 0 && at + 4 <= words) {
        LOAD4(GLOBAL, v, x + x_at + at);
    } else {
        UNROLL
        for (int i = 0; i < 4; i++)
            v[i] = at + i < words ? x[x_at + at + i] : 0u;
    }
}

/* Group (g, k) gives the residue of its chunk of number k, steps * RESIDUE_THREADS
 * vectors from g times that on, as out[out_at + k * GROUPS_X + g].  The numbers, of which a
 * launch takes the first GROUPS_Y, are {a + a_at, an} and so on; it is quicker where the
 * offsets are multiples of 4.  The table begins at word table_at, which is even. */
KERNEL(RESIDUE_THREADS)
residue(GLOBAL const u32 *a, u64 a_at, u64 an, GLOBAL const u32 *b, u64 b_at, u64 bn,
        GLOBAL const u32 *c, u64 c_at, u64 cn, GLOBAL const u32 *d, u64 d_at, u64 dn,
        GLOBAL const u32 *table_words, u64 table_at, u32 steps, GLOBAL u64 *out, u64 out_at) {
    LOCAL_ARRAY(u64, sums, RESIDUE_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    GLOBAL const u32 *x = GROUP_Y == 0 ? a : GROUP_Y == 1 ? b : GROUP_Y == 2 ? c : d;
    u64 x_at = GROUP_Y == 0 ? a_at : GROUP_Y == 1 ? b_at : GROUP_Y == 2 ? c_at : d_at;
    u64 words = GROUP_Y == 0 ? an : GROUP_Y == 1 ? bn : GROUP_Y == 2 ? cn : dn;
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV], sum = 0;
    u64 first = (u64)GROUP_X * steps * RESIDUE_THREADS + LOCAL_ID;
    for (u32 k = steps; k-- > 0;) {
        u32 vector[4];
        vector_load(vector, x, x_at, words, first + (u64)k * RESIDUE_THREADS);
        sum = residue_step(sum, vector, table[RESIDUE_ONE], table[RESIDUE_HIGH],
                           table[RESIDUE_STEP], m, minv);
    }
    sums[LOCAL_ID] = residue_product(sum, table[RESIDUE_POWERS + LOCAL_ID], m, minv);
    BARRIER();
    for (u32 count = RESIDUE_THREADS / 2; count > 0; count /= 2) {
        if (LOCAL_ID < count) {
            u64 both = sums[LOCAL_ID] + sums[LOCAL_ID + count];
            sums[LOCAL_ID] = both < m ? both : both - m;
        }
        BARRIER();
    }
    if (LOCAL_ID == 0)
        out[out_at + (u64)GROUP_Y * GROUPS_X + GROUP_X] = sums[0];
}

/* Limb i of {x, limbs}, 0 behind its end. */
FN u64 limb(GLOBAL const u32 *x, u32 limbs, u32 i) {
    u32 low, high;
    if (i >= limbs)
        return 0;
    LOAD2(GLOBAL, low, high, x + 2 * (u64)i);
    return low | (u64)high << 32;
}

#if !defined(ON_CPU)
#define TILE WRAPAROUND_TILE             /* limbs of each work-item that a group reads at once, */
#define PITCH (TILE + 1)                 /* at this distance from the next one's, on other banks; */
#define ROWS (WRAPAROUND_THREADS / TILE) /* those of so many in one step */
#endif

/* Group g gives the part of its WRAPAROUND_THREADS times `each` limbs, whole digits of `digit`
 * limbs, as out[out_at + WRAPAROUND_ENTRIES g] and on; n < 2^31 limbs in all.  Numbers are whole
 * limbs on addresses of whole limbs.  base and up: wraparound_end. */
KERNEL(WRAPAROUND_THREADS)
wraparound(GLOBAL const u32 *u, u64 u_at, u64 un, GLOBAL const u32 *v, u64 v_at, u64 vn,
           GLOBAL const u32 *table_words, u64 table_at, u32 n, u32 digit, u32 each, u64 base,
           u64 up, u64 out_at, GLOBAL u64 *out) {
    LOCAL_ARRAY(struct wraparound_part, parts, WRAPAROUND_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV], high = table[RESIDUE_HIGH];
    struct wraparound_walk walk = {0, 0, 0, 0, 0, {0, 0}};
    u32 id = LOCAL_ID, u_limbs = (u32)(un / 2), v_limbs = (u32)(vn / 2);
#if defined(ON_CPU)
    u32 last = (GROUP_X * WRAPAROUND_THREADS + id + 1) * each - 1;
    for (u32 k = 0; k < each; k++)
        wraparound_next(&walk, limb(u + u_at, u_limbs, last - k),
                        limb(v + v_at, v_limbs, n - 1 - last + k), digit, high, m, minv);
#else
    LOCAL_ARRAY(u64, us, WRAPAROUND_THREADS * PITCH);
    LOCAL_ARRAY(u64, vs, WRAPAROUND_THREADS * PITCH);
    u32 row = id / TILE, column = id % TILE;
    u32 last = (GROUP_X * WRAPAROUND_THREADS + row + 1) * each - 1 - column;
    for (u32 done = 0; done < each; done += TILE) {
        BARRIER();
        UNROLL
        for (u32 k = 0; k < TILE; k++) {
            u32 from = last - done + k * ROWS * each, to = (row + k * ROWS) * PITCH + column;
            us[to] = limb(u + u_at, u_limbs, from);
            vs[to] = limb(v + v_at, v_limbs, n - 1 - from);
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
        out[out_at] = parts[0].u, out[out_at + 1] = parts[0].v, out[out_at + 2] = parts[0].sum;
    }
}
