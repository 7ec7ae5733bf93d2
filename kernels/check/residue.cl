/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the residues of up to four numbers at once, by which the host checks a result. */
#include "kernels/check/key.h"
#include "kernels/check/residue_chunk.h"

/* Group (g, k) computes the residue of chunk g of number k. A chunk has steps * RESIDUE_THREADS
 * vectors. The group stores the residue, XORed with the key, in out[out_at + k * GROUPS_X + g].
 *
 * Number 0 is {a + a_at, an}, number 1 is {b + b_at, bn}, and so on. A launch with n groups along y
 * uses the first n numbers. Offsets that are multiples of 4 are faster. The table begins at word
 * table_at, which must be even. */
KERNEL(RESIDUE_THREADS)
residue(GLOBAL const u32 *a, u64 a_at, u64 an, GLOBAL const u32 *b, u64 b_at, u64 bn,
        GLOBAL const u32 *c, u64 c_at, u64 cn, GLOBAL const u32 *d, u64 d_at, u64 dn,
        GLOBAL const u32 *table_words, u64 table_at, u32 steps, u64 key, GLOBAL u64 *out,
        u64 out_at) {
    LOCAL_ARRAY(u64, sums, RESIDUE_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    GLOBAL const u32 *x = GROUP_Y == 0 ? a : GROUP_Y == 1 ? b : GROUP_Y == 2 ? c : d;
    u64 x_at = GROUP_Y == 0 ? a_at : GROUP_Y == 1 ? b_at : GROUP_Y == 2 ? c_at : d_at;
    u64 words = GROUP_Y == 0 ? an : GROUP_Y == 1 ? bn : GROUP_Y == 2 ? cn : dn;
    u64 mine = LOCAL_ID == 0 ? key_of(key, out) : 0;
    residue_of_chunk(x, x_at, words, steps, table, sums);
    if (LOCAL_ID == 0)
        out[out_at + (u64)GROUP_Y * GROUPS_X + GROUP_X] = sums[0] ^ mine;
}
