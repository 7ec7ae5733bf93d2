/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Multiplies many pairs of short numbers, of at most WORDS words, with matrix units
 * (kernels/batch/matrix_chunks.h). A row of work-items computes several products, one after
 * another. */
#include "kernels/batch/matrix_chunks.h"

#define ROWS (BATCH_MATRIX_THREADS / ROW)
#define MOST CHUNKS(WORDS)
/* DENSE_LOW, DENSE_FULL: how many groups should fit on a multiprocessor at once, for low and for
 * full products. */
#define DENSE_LOW (WORDS > 64 ? 4 : 8)
#define DENSE_FULL (WORDS > 128 ? 3 : WORDS > 64 ? 4 : 10)

#if defined(MATRIX_UNITS)

/* The arguments of the kernels in this file. */
struct numbers {
    GLOBAL u32 *r;
    GLOBAL const u32 *u, *v;
    u64 u_step, v_step, count;
    u32 words, result_words, each;
};

/* Loads this work-item's words of {u, words}, two of each chunk, with zeros behind the end. u
 * points to the first two words of the calling work-item. */
FN void load_words(u32 *x, GLOBAL const u32 *u, u32 words, u32 lane) {
    UNROLL
    for (u32 i = 0; i < MOST; i++) {
        x[2 * i] = x[2 * i + 1] = 0;
        if (CHUNK * i + 2 * lane < words)
            LOAD2(GLOBAL, x[2 * i], x[2 * i + 1], u + CHUNK * i);
    }
}

/* Multiplies two numbers in local memory, with all work-items of a row. Stores the low `chunks`
 * chunks of the product, at most `words` words. Each work-item stores two words of each chunk; its
 * first two are at r. */
FN void multiply(GLOBAL u32 *r, u32 words, LOCAL const u32 *copies, LOCAL const u32 *slices,
                 u32 chunks, u32 lane) {
    u32 sums[2 * MOST][8], over[2 * MOST], x[4 * MOST];
    multiply_chunks(sums, copies, COPY_WORDS(MOST, chunks > MOST), slices, MOST, chunks, lane);
    UNROLL
    for (u32 i = 0; i < chunks; i++)
        over[i] = take_words(x + 2 * i, sums[i], lane);
    resolve_chunks(x, over, 0, chunks, lane);
    UNROLL
    for (u32 i = 0; i < chunks; i++)
        if (CHUNK * i + 2 * lane < words)
            STORE2_TO(GLOBAL, r + CHUNK * i, x[2 * i], x[2 * i + 1]);
}

/* Computes the products of a row of work-items, at most m.each products. Loads the next pair of
 * numbers before it multiplies a pair. {copies, 4 COPY_WORDS} and {slices, SLICES_WORDS} are this
 * row's local memory. */
FN void multiply_row(struct numbers m, LOCAL u32 *copies, LOCAL u32 *slices, u32 in_full) {
    u32 row = LOCAL_ID / ROW, lane = LOCAL_ID % ROW, a[2 * MOST], b[2 * MOST];
    u32 stride = COPY_WORDS(MOST, in_full);
    u64 number = ((u64)GROUP_X * ROWS + row) * m.each, end = number + m.each;
    end = end < m.count ? end : m.count;
    if (number >= end)
        return;
    m.u += 2 * lane, m.v += 2 * lane, m.r += 2 * lane;
    load_words(a, m.u + number * m.u_step, m.words, lane);
    load_words(b, m.v + number * m.v_step, m.words, lane);
    clear_copies(copies, stride, lane);
    clear_slices(slices, lane);
    for (; number < end; number++) {
        u64 next = number + 1 < end ? number + 1 : number;
        put_copies(copies, stride, a, MOST, in_full, lane);
        put_slices(slices, b, MOST, in_full, lane);
        load_words(a, m.u + next * m.u_step, m.words, lane);
        load_words(b, m.v + next * m.v_step, m.words, lane);
        ROW_BARRIER();
        multiply(m.r + number * m.result_words, m.result_words, copies, slices,
                 in_full ? 2 * MOST : MOST, lane);
        ROW_BARRIER();
    }
}

#define MULTIPLY(in_full)                                                                          \
    LOCAL_ARRAY(u32, copies, ROWS * 4 * COPY_WORDS(MOST, in_full));                                \
    LOCAL_ARRAY(u32, slices, ROWS *SLICES_WORDS(MOST, in_full));                                   \
    struct numbers m;                                                                              \
    m.r = r + r_at, m.u = u + u_at, m.v = v + v_at;                                                \
    m.u_step = u_step, m.v_step = v_step, m.count = count;                                         \
    m.words = words, m.result_words = result_words, m.each = each;                                 \
    multiply_row(m, copies + LOCAL_ID / ROW * 4 * COPY_WORDS(MOST, in_full),                       \
                 slices + LOCAL_ID / ROW * SLICES_WORDS(MOST, in_full), in_full)

/* Compute products as the kernel batch_matrix does (kernels/batch/batch_matrix.cl), of numbers of
 * at most WORDS words. batch_matrix_low computes results of at most WORDS words, batch_matrix_full
 * longer ones. */
KERNEL_DENSE(BATCH_MATRIX_THREADS, DENSE_LOW)
batch_matrix_low(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *u, u64 u_at, u32 u_step,
                 GLOBAL const u32 *v, u64 v_at, u32 v_step, u64 count, u32 words, u32 result_words,
                 u32 each) {
    MULTIPLY(0);
}

KERNEL_DENSE(BATCH_MATRIX_THREADS, DENSE_FULL)
batch_matrix_full(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *u, u64 u_at, u32 u_step,
                  GLOBAL const u32 *v, u64 v_at, u32 v_step, u64 count, u32 words, u32 result_words,
                  u32 each) {
    MULTIPLY(1);
}

#endif
