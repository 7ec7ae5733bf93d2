/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions that generated kernels of expressions call on devices with matrix units. A row of 32
 * work-items computes a value in chunks (kernels/batch/matrix_chunks.h). Words behind the end of a
 * value are zeros. kernels/batch/expression.h has the functions for other devices. */
#ifndef EXPRESSION_ROW_H
#define EXPRESSION_ROW_H

#include "kernels/batch/batch.h"
#include "kernels/batch/matrix_chunks.h"

#define GROUP_ROWS (BATCH_MUL_THREADS / ROW) /* of a group */

#if defined(MATRIX_UNITS)

/* A row of 32 work-items. Its local memory has the left factor of a product, as copies, and two
 * right factors, as slices (matrix_chunks.h). */
struct row {
    u64 index; /* of its number */
    u32 lane, stride, in_full;
    LOCAL u32 *copies, *slices[2];
};

/* Begins a kernel: declares its local memory and `t`, the struct row of this work-item. `chunks` is
 * the most chunks of a factor; `full` is 1 if any product is needed in full length. */
#define EXPRESSION_ROW(chunks, full)                                                               \
    LOCAL_ARRAY(u32, copies_, GROUP_ROWS * 4 * COPY_WORDS(chunks, full));                          \
    LOCAL_ARRAY(u32, slices_, GROUP_ROWS * 2 * SLICES_WORDS(chunks, full));                        \
    u32 reaches[EXPRESSION_CHUNKS];                                                                \
    struct row t;                                                                                  \
    t.lane = LOCAL_ID % ROW, t.stride = COPY_WORDS(chunks, full), t.in_full = full;                \
    t.index = (u64)GROUP_X * GROUP_ROWS + LOCAL_ID / ROW;                                          \
    t.copies = copies_ + LOCAL_ID / ROW * 4 * COPY_WORDS(chunks, full);                            \
    t.slices[0] = slices_ + LOCAL_ID / ROW * 2 * SLICES_WORDS(chunks, full);                       \
    t.slices[1] = t.slices[0] + SLICES_WORDS(chunks, full);                                        \
    if (t.index >= count)                                                                          \
        return;                                                                                    \
    clear_copies(t.copies, t.stride, t.lane);                                                      \
    clear_slices(t.slices[0], t.lane);                                                             \
    clear_slices(t.slices[1], t.lane)

/* Returns 1 if this work-item's two words of chunk i are within a value of `words` words. */
FN u32 row_has(u32 words, u32 i, struct row t) {
    return CHUNK * (i + 1) <= words || CHUNK * i + 2 * t.lane < words;
}

FN void row_load(u32 *x, GLOBAL const u32 *u, u32 words, struct row t) {
    GLOBAL const u32 *from = u + t.index * words + 2 * t.lane;
    UNROLL
    for (u32 i = 0; i < CHUNKS(words); i++) {
        x[2 * i] = x[2 * i + 1] = 0;
        if (row_has(words, i, t))
            LOAD2(GLOBAL, x[2 * i], x[2 * i + 1], from + CHUNK * i);
    }
}

FN void row_store(GLOBAL u32 *r, const u32 *x, u32 words, struct row t) {
    GLOBAL u32 *to = r + t.index * words + 2 * t.lane;
    UNROLL
    for (u32 i = 0; i < CHUNKS(words); i++)
        if (row_has(words, i, t))
            STORE2_TO(GLOBAL, to + CHUNK * i, x[2 * i], x[2 * i + 1]);
}

FN void row_cut(u32 *x, u32 words, struct row t) {
    UNROLL
    for (u32 i = 0; i < CHUNKS(words); i++)
        if (!row_has(words, i, t))
            x[2 * i] = x[2 * i + 1] = 0;
}

FN void row_resize(u32 *x, u32 words, const u32 *y, u32 y_words, struct row t) {
    UNROLL
    for (u32 i = 0; i < CHUNKS(words); i++) {
        x[2 * i] = i < CHUNKS(y_words) ? y[2 * i] : 0u;
        x[2 * i + 1] = i < CHUNKS(y_words) ? y[2 * i + 1] : 0u;
    }
    row_cut(x, words, t);
}

/* Stores x in local memory as the left factor of products. The row must have finished all products
 * with the left factor that was stored before. */
FN void row_put_left(const u32 *x, u32 words, struct row t) {
    put_copies(t.copies, t.stride, x, CHUNKS(words), t.in_full, t.lane);
}
FN void row_put_right(u32 side, const u32 *x, u32 words, struct row t) {
    put_slices(t.slices[side], x, CHUNKS(words), t.in_full, t.lane);
}

/* Sets x to the low result_words words of the product of the left factor and the right factor at
 * `side`, of `words` words each. */
FN void row_multiply(u32 *x, u32 side, u32 words, u32 result_words, struct row t) {
    u32 sums[EXPRESSION_CHUNKS][8], over[EXPRESSION_CHUNKS];
    ROW_BARRIER();
    multiply_chunks(sums, t.copies, t.stride, t.slices[side], CHUNKS(words), CHUNKS(result_words),
                    t.lane);
    ROW_BARRIER();
    UNROLL
    for (u32 i = 0; i < CHUNKS(result_words); i++)
        over[i] = take_words(x + 2 * i, sums[i], t.lane);
    resolve_chunks(x, over, 0, CHUNKS(result_words), t.lane);
    row_cut(x, result_words, t);
}

FN void row_begin_zero(u32 *x, u32 *reaches, u32 words) {
    UNROLL
    for (u32 i = 0; i < CHUNKS(words); i++)
        x[2 * i] = x[2 * i + 1] = reaches[i] = 0;
}

FN void row_begin(u32 *x, u32 *reaches, const u32 *y, u32 words) {
    UNROLL
    for (u32 i = 0; i < CHUNKS(words); i++)
        x[2 * i] = y[2 * i], x[2 * i + 1] = y[2 * i + 1], reaches[i] = 0;
}

FN void row_add(u32 *x, u32 *reaches, const u32 *y, u32 mask, u32 words) {
    UNROLL
    for (u32 i = 0; i < CHUNKS(words); i++) {
        u64 low = (u64)x[2 * i] + (y[2 * i] ^ mask);
        u64 high = (low >> 32) + x[2 * i + 1] + (y[2 * i + 1] ^ mask);
        x[2 * i] = (u32)low, x[2 * i + 1] = (u32)high;
        reaches[i] += (u32)(high >> 32);
    }
}

FN void row_sum(u32 *x, const u32 *reaches, u32 negatives, u32 words, struct row t) {
    resolve_chunks(x, reaches, negatives, CHUNKS(words), t.lane);
    row_cut(x, words, t);
}

#endif

#endif
