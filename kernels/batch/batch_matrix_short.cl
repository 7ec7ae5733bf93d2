/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of many pairs of numbers of at most WORDS, 64, words by matrix units
 * (kernels/batch/matrix_digits.h), a row of work-items for some numbers, one after the other.
 *
 * There is one B.  At step j, for q = 2 j and 2 j + 1, it is rotated: column c of D has place
 * n = c - j modulo 8.  So what column c has stays with the block that it belongs to, which is whole
 * after step c; then a new one begins there.  After eight steps each work-item has its part of
 * sixteen blocks.  Then one step more, and columns hold what follows. */
#include "kernels/batch/matrix_digits.h"

#define ROWS (BATCH_MATRIX_THREADS / ROW)
#define WORDS 64
#define STEPS 8
#define BELOW 8
#define STRIDE (WORDS + 8 + BELOW + 24)
/* Eight words of v each, 12 apart, twice: places of columns in other banks. */
#define COLUMN 12
#define COLUMNS_WORDS (2 * STEPS * COLUMN)
/* Where block p of sixteen has its digits' sums: in other banks than blocks p + 4, p + 8, p + 12.
 */
#define PLACE(p) (16 * (p) + 8 * ((p) / 4))
#define SUMS_WORDS PLACE(16)

#if defined(MATRIX_UNITS)

/* What a row works with; the words of a number that a work-item loads and stores. */
struct short_row {
    LOCAL u32 *copies, *columns, *sums;
    u32 lane, result_words;
};
struct short_words {
    u32 u[2], v[2];
};

/* u and v are this work-item's first words. */
FN struct short_words load_words(GLOBAL const u32 *u, GLOBAL const u32 *v, u32 words, u32 lane) {
    struct short_words w;
    UNROLL
    for (u32 i = 0; i < 2; i++) {
        w.u[i] = lane + ROW * i < words ? u[ROW * i] : 0u;
        w.v[i] = lane + ROW * i < words ? v[ROW * i] : 0u;
    }
    return w;
}

/* Zeros where no number has words. */
FN void clear_copies(struct short_row m) {
    for (u32 i = m.lane; i < 4 * (STRIDE - WORDS); i += ROW) {
        u32 c = i / (STRIDE - WORDS), at = i % (STRIDE - WORDS);
        m.copies[c * STRIDE + (at < BELOW ? at : at + WORDS)] = 0;
    }
}

/* As copy_bytes; and v. */
FN void put_operands(struct short_row m, struct short_words w) {
    u32 low[2], top = shuffle_from(w.u[0], ROW - 1, ROW), last;
    low[0] = shuffle_up(w.u[0], ROW);
    low[1] = shuffle_up(w.u[1], ROW);
    last = shuffle_from(w.u[1], ROW - 1, ROW);
    low[0] = m.lane ? low[0] : 0u;
    low[1] = m.lane ? low[1] : top;
    UNROLL
    for (u32 i = 0; i < 2; i++) {
        LOCAL u32 *to = m.copies + BELOW + ROW * i + m.lane;
        LOCAL u32 *column = m.columns + (ROW / 8 * i + m.lane / 8) * COLUMN + m.lane % 8;
        UNROLL
        for (u32 c = 0; c < 4; c++)
            to[c * STRIDE] = bytes_of(low[i], w.u[i], 0x1234u + c * 0x1111u);
        column[0] = column[STEPS * COLUMN] = w.v[i];
    }
    if (m.lane < 4)
        m.copies[m.lane * STRIDE + BELOW + WORDS] = bytes_of(last, 0u, 0x1234u + m.lane * 0x1111u);
}

/* The bytes of v at step j, and with halves exchanged. */
FN void load_columns(u32 *b, LOCAL const u32 *from) {
    b[0] = b[3] = from[0];
    b[1] = b[2] = from[4];
}

/* Column j of d is whole: to `whole`, which has the same columns. */
FN void take_column(u32 *whole, u32 *d, u32 j, u32 lane) {
    if (lane % 4 == j / 2) {
        whole[j % 2] = d[j % 2];
        whole[j % 2 + 2] = d[j % 2 + 2];
        d[j % 2] = d[j % 2 + 2] = 0;
    }
}

/* Column n of d is block 2 n + parity. */
FN void put_columns(LOCAL u32 *sums, const u32 *d, u32 parity, u32 lane) {
    UNROLL
    for (u32 e = 0; e < 2; e++) {
        LOCAL u32 *to = sums + PLACE(4 * (lane % 4) + 2 * e + parity) + lane / 4;
        to[0] = d[e];
        to[8] = d[e + 2];
    }
}

/* Sixteen blocks to the words from `at` on; r is this work-item's first. */
FN void put_words(GLOBAL u32 *r, u32 at, struct short_row m, const u32 *even, const u32 *odd,
                  struct onward *onward) {
    put_columns(m.sums, even, 0, m.lane);
    put_columns(m.sums, odd, 1, m.lane);
    ROW_BARRIER();
    UNROLL
    for (u32 row = 0; row < 2; row++) {
        u32 c[4];
        LOAD4(LOCAL, c, m.sums + PLACE(8 * row + m.lane / 4) + m.lane % 4 * 4);
        c[0] = settle_row(c, onward, m.lane);
        if (at + ROW * row + m.lane < m.result_words)
            r[at + ROW * row] = c[0];
    }
    ROW_BARRIER();
}

FN void multiply(GLOBAL u32 *r, struct short_row m) {
    u32 even[4] = {0, 0, 0, 0}, odd[4] = {0, 0, 0, 0}, a[4] = {0, 0, 0, 0};
    u32 whole_even[4], whole_odd[4], b[4];
    LOCAL const u32 *copy = copy_of(m.copies, STRIDE, BELOW, m.lane);
    LOCAL const u32 *columns = m.columns + (STEPS + m.lane / 4) * COLUMN + m.lane % 4;
    struct onward onward = {0, 0};
    UNROLL
    for (u32 j = 0; j < STEPS; j++) {
        load_columns(b, columns - j * COLUMN);
        multiply_step(even, odd, a, b, copy + 8 * j);
        take_column(whole_even, even, j, m.lane);
        take_column(whole_odd, odd, j, m.lane);
    }
    put_words(r, 0, m, whole_even, whole_odd, &onward);
    if (m.result_words > WORDS) {
        load_columns(b, columns);
        multiply_step(even, odd, a, b, copy + 8 * STEPS);
        put_words(r, WORDS, m, even, odd, &onward);
    }
}

/* As batch_matrix (kernels/batch/batch_matrix.cl); words is at most WORDS.  A row has `each`
 * numbers, and loads the next one's words before it multiplies. */
KERNEL_EXACT(BATCH_MATRIX_THREADS)
batch_matrix_short(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *u, u64 u_at, u32 u_step,
                   GLOBAL const u32 *v, u64 v_at, u32 v_step, u64 count, u32 words,
                   u32 result_words, u32 each) {
    LOCAL_ARRAY(u32, copies, ROWS * 4 * STRIDE);
    LOCAL_ARRAY(u32, columns, ROWS * COLUMNS_WORDS);
    LOCAL_ARRAY(u32, sums, ROWS * SUMS_WORDS);
    u32 row = LOCAL_ID / ROW, lane = LOCAL_ID % ROW;
    u64 number = ((u64)GROUP_X * ROWS + row) * each, end = number + each;
    struct short_row m = {copies + row * 4 * STRIDE, columns + row * COLUMNS_WORDS,
                          sums + row * SUMS_WORDS, lane, result_words};
    end = end < count ? end : count;
    if (number >= end)
        return;
    u += u_at + lane, v += v_at + lane, r += r_at + lane;
    struct short_words w = load_words(u + number * u_step, v + number * v_step, words, lane);
    clear_copies(m);
    for (; number < end; number++) {
        u64 next = number + 1 < end ? number + 1 : number;
        put_operands(m, w);
        w = load_words(u + next * u_step, v + next * v_step, words, lane);
        ROW_BARRIER();
        multiply(r + number * result_words, m);
    }
}

#endif
