/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Steps of products of matrices with long entries, which transforms of numbers without signs
 * multiply (lib/matrix/matrix_long.h): an entry a of `words` words is replaced by a' = a + 2^(32
 * words), which is not negative. */
#include "kernels/matrix/passing.h"

/* Sets number (line, i) of the array `out`, of `stride` words each, to a' for entry first + line
 * line_step + i inner_step of a matrix. `count` is the number of all words of the array. */
KERNEL(MATRIX_THREADS)
matrix_widen(GLOBAL u32 *out, GLOBAL const u32 *entries, u64 first, u64 line_step, u64 inner_step,
             u32 inner, u32 words, u32 stride, u64 count) {
    const u64 at = (u64)GROUP_X * MATRIX_THREADS + LOCAL_ID, number = at / stride;
    const u32 w = (u32)(at % stride);
    const u64 entry = first + number / inner * line_step + number % inner * inner_step;
    if (at < count)
        out[at] = w < words    ? entries[entry * words + w]
                  : w == words ? 1u - (entries[entry * words + words - 1] >> 31)
                               : 0u;
}

/* Sums the `inner` numbers of each line word by word, without carries. `count` is the number of all
 * sums: stride for each line. */
KERNEL(MATRIX_THREADS)
matrix_sums(GLOBAL u64 *out, GLOBAL const u32 *numbers, u32 inner, u32 stride, u64 count) {
    const u64 at = (u64)GROUP_X * MATRIX_THREADS + LOCAL_ID;
    GLOBAL const u32 *x = numbers + at / stride * inner * stride + at % stride;
    u64 sum = 0;
    for (u64 i = 0; i < (at < count ? inner : 0u); i++)
        sum += x[i * stride];
    if (at < count)
        out[at] = sum;
}

/* Returns word i of {x, n}, 0 for words below or above. */
FN u64 sum_at(GLOBAL const u64 *x, u32 n, u32 i) {
    return i < n ? x[i] : 0u;
}

/* Computes an entry of the result from c = the sum of a' b', of c_words words, one entry in each
 * group: with k = inner,
 *
 *     sum of a b = c - 2^(32 a_words) sum of b' - 2^(32 b_words) sum of a' + k 2^(32 (a_words +
 *     b_words)).
 *
 * Entry (i, j) of the block has number i columns + j of the array c, whose numbers have c_stride
 * words. Its sums are those of line i of A and of line j of B. It is entry first + i row_step + j
 * of the matrix. Sums of words are below 2^50 in absolute value. */
KERNEL(MATRIX_THREADS)
matrix_correct(GLOBAL u32 *out, GLOBAL const u32 *c, GLOBAL const u64 *a_sums,
               GLOBAL const u64 *b_sums, u64 first, u64 row_step, u32 columns, u32 inner,
               u32 a_words, u32 b_words, u32 a_stride, u32 b_stride, u32 c_words, u32 c_stride,
               u32 r_words) {
    LOCAL_ARRAY(u32, lows, MATRIX_THREADS);
    LOCAL_ARRAY(u32, states, MATRIX_THREADS);
    LOCAL_ARRAY(s32, overs, MATRIX_THREADS);
    const u32 i = GROUP_X / columns, j = GROUP_X % columns;
    s64 carry = 0;
    out += (first + i * row_step + j) * r_words;
    c += (u64)GROUP_X * c_stride;
    a_sums += (u64)i * a_stride;
    b_sums += (u64)j * b_stride;
    for (u32 at = 0; at < r_words; at += MATRIX_THREADS * MATRIX_EACH) {
        const u32 word = at + LOCAL_ID * MATRIX_EACH;
        u64 sums[MATRIX_EACH];
        u32 x[MATRIX_EACH];
        struct passing t;
        for (u32 k = 0; k < MATRIX_EACH; k++) {
            const u32 w = word + k;
            sums[k] = (w < c_words ? c[w] : 0u) - sum_at(a_sums, a_stride, w - b_words) -
                      sum_at(b_sums, b_stride, w - a_words) + (w == a_words + b_words ? inner : 0u);
        }
        resolve(x, sums, &t);
        BARRIER();
        lows[LOCAL_ID] = t.low;
        states[LOCAL_ID] = t.state;
        overs[LOCAL_ID] = t.over;
        BARRIER();
        s64 own = 0;
        for (u32 k = 0; k < MATRIX_THREADS; k++) {
            t.low = lows[k], t.state = states[k], t.over = overs[k];
            own = k == LOCAL_ID ? carry : own;
            carry = carry_through(t, carry);
        }
        for (u32 k = 0; k < MATRIX_EACH; k++) {
            own += x[k];
            if (word + k < r_words)
                out[word + k] = (u32)own;
            own >>= 32;
        }
    }
}
