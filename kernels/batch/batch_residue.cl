/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes residues of batches that stay on the device. Later operations check their operands by
 * these residues (lib/device/kept.h). */
#include "kernels/check/residue_chunk.h"
#include "kernels/check/verdict_share.h"

/* Computes residues of chunks of up to four numbers {a + a_at, an}, {b + b_at, bn}, {c + c_at,
 * cn} and {d + d_at, dn}. A launch with n groups along y computes those of the first n numbers.
 * Group (g, k) computes the residue of chunk g of number k. It stores the residue in 64-bit entry
 * out_at + k GROUPS_X + g of the memory at `verdict`, and adds its part to the verdict
 * (kernels/check/verdict.h). */
KERNEL(RESIDUE_THREADS)
batch_residue(GLOBAL u32 *verdict, u32 pass, GLOBAL const u32 *a, u64 a_at, u64 an,
              GLOBAL const u32 *b, u64 b_at, u64 bn, GLOBAL const u32 *c, u64 c_at, u64 cn,
              GLOBAL const u32 *d, u64 d_at, u64 dn, GLOBAL const u32 *table_words, u64 table_at,
              u32 steps, u64 out_at) {
    LOCAL_ARRAY(u64, sums, RESIDUE_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    GLOBAL u64 *out = (GLOBAL u64 *)verdict + out_at;
    GLOBAL const u32 *x = GROUP_Y == 0 ? a : GROUP_Y == 1 ? b : GROUP_Y == 2 ? c : d;
    u64 x_at = GROUP_Y == 0 ? a_at : GROUP_Y == 1 ? b_at : GROUP_Y == 2 ? c_at : d_at;
    u64 words = GROUP_Y == 0 ? an : GROUP_Y == 1 ? bn : GROUP_Y == 2 ? cn : dn;
    residue_of_chunk(x, x_at, words, steps, table, sums);
    if (LOCAL_ID == 0) {
        out[(u64)GROUP_Y * GROUPS_X + GROUP_X] = sums[0];
        verdict_share(verdict, pass, 0, GROUP_X, GROUPS_X);
    }
}
