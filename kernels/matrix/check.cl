/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks a product of matrices R = A B: for a random vector x, A (B x) must equal R x modulo the
 * check's modulus m (kernels/check/residue.h). Each kernel adds to the verdict
 * (kernels/check/verdict.h). */
#include "kernels/check/residue_chunk.h"
#include "kernels/check/verdict.h"

/* Sums `part` over the `items` work-items, a power of 2, that share an entry or a row. The first of
 * these work-items gets the sum modulo m. Ends with a barrier. */
FN u64 sum_parts(u64 part, u32 items, u64 m, LOCAL u64 *sums) {
    for (u32 step = items / 2; step > 0; step /= 2) {
        sums[LOCAL_ID] = part;
        BARRIER();
        part = residue_plus(part, sums[LOCAL_ID ^ step], m);
        BARRIER();
    }
    return part;
}

/* Computes the residue of each of `count` entries of `words` words in two's complement. `items`
 * work-items, a power of 2, process an entry. `minus` is -2^(32 words) modulo m. */
KERNEL(RESIDUE_THREADS)
matrix_check_entries(GLOBAL u32 *verdict, u32 pass, GLOBAL u64 *out, GLOBAL const u32 *entries,
                     u64 count, u32 words, u32 items, u64 minus, GLOBAL const u32 *table_words,
                     u64 table_at) {
    LOCAL_ARRAY(u64, sums, RESIDUE_THREADS);
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    const u64 step = items < RESIDUE_THREADS ? table[RESIDUE_POWERS + items] : table[RESIDUE_STEP];
    const u32 item = LOCAL_ID % items;
    const u64 index = (u64)GROUP_X * (RESIDUE_THREADS / items) + LOCAL_ID / items;
    const u64 at = (index < count ? index : count - 1) * words;
    const u32 vectors = (words + RESIDUE_VECTOR - 1) / RESIDUE_VECTOR;
    u64 sum = 0;
    for (u32 k = (vectors + items - 1) / items; k-- > 0;) {
        u32 v[RESIDUE_VECTOR];
        vector_load(v, entries, at, words, item + k * items);
        sum = residue_step(sum, v, table[RESIDUE_ONE], table[RESIDUE_HIGH], step, m, minv);
    }
    sum = sum_parts(residue_product(sum, table[RESIDUE_POWERS + item], m, minv), items, m, sums);
    if (item == 0 && index < count)
        out[index] = entries[at + words - 1] >> 31 ? residue_plus(sum, minus, m) : sum;
    verdict_add(verdict, pass, 0, votes);
}

/* Sets entry GROUP_X of y to row GROUP_X of the matrix of residues times x, divided by 2^64. */
KERNEL(RESIDUE_THREADS)
matrix_check_apply(GLOBAL u32 *verdict, u32 pass, GLOBAL u64 *y, GLOBAL const u64 *residues,
                   GLOBAL const u64 *x, u64 columns, GLOBAL const u32 *table_words, u64 table_at) {
    LOCAL_ARRAY(u64, sums, RESIDUE_THREADS);
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    u64 sum = 0;
    residues += GROUP_X * columns;
    for (u64 k = LOCAL_ID; k < columns; k += RESIDUE_THREADS)
        sum = residue_plus(sum, residue_product(residues[k], x[k], m, minv), m);
    sum = sum_parts(sum, RESIDUE_THREADS, m, sums);
    if (LOCAL_ID == 0)
        y[GROUP_X] = sum;
    verdict_add(verdict, pass, 0, votes);
}

/* Compares A (B x) with R x s, where s is scale[scale_at], or 1 if `has_scale` is 0. by_factors has
 * A (B x) / 2^128, and by_result has R x / 2^64. The product of by_result and s by residue_product
 * divides by 2^64 once more, so both sides are divided by 2^128. */
KERNEL(RESIDUE_THREADS)
matrix_check_compare(GLOBAL u32 *verdict, u32 pass, GLOBAL const u64 *by_factors,
                     GLOBAL const u64 *by_result, u64 count, GLOBAL const u64 *scale, u64 scale_at,
                     u32 has_scale, GLOBAL const u32 *table_words, u64 table_at) {
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const u64 factor = has_scale ? scale[scale_at] : 1;
    const u64 i = (u64)GROUP_X * RESIDUE_THREADS + LOCAL_ID;
    const u64 right = i < count ? by_factors[i] : 0, got = i < count ? by_result[i] : 0;
    const u32 bad = right != residue_product(factor, got, table[RESIDUE_M], table[RESIDUE_MINV]);
    verdict_add(verdict, pass, bad, votes);
}
