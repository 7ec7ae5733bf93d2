/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Multiplies many pairs of numbers with matrix units. kernels/batch/matrix_digits.h defines the
 * matrices A, B(s) and D(q). TEAM rows of 32 work-items compute one product. Row k multiplies by
 * those matrices B(s) for which s modulo TEAM is k.
 *
 * The sums for D(q), moved by one column, are the first terms of the sums for D(q + 2). So the
 * first column of the sums is always a complete block of the product. */
#include "kernels/batch/matrix_digits.h"

/* Numbers have at most WORDS = 64 * SLICES * TEAM words. */
#if WORDS > 512
#define TEAM (WORDS / 512)
#define SLICES 8
#else
#define TEAM 1
#define SLICES (WORDS / 64)
#endif
#define ROWS (BATCH_MATRIX_THREADS / ROW)
#define TEAMS (ROWS / TEAM)
/* BELOW: the zero words in front of each copy of u. STRIDE: the words of a copy, with the zeros in
 * front of it and behind it. */
#define BELOW (64 * TEAM - 56)
#define STRIDE (WORDS + BELOW + 32)
#if TEAM > 1
#define TEAM_BARRIER() BARRIER()
#else
#define TEAM_BARRIER() ROW_BARRIER()
#endif

#if defined(MATRIX_UNITS)

/* A row of 32 work-items: its place in the computation of one product, and the memory that it
 * uses. */
struct matrix_row {
    GLOBAL u32 *r; /* where this work-item stores its first word */
    LOCAL const u32 *copy;
    LOCAL u32 *sums;
    u32 lane, row, blocks, result_words;
};

/* Loads this work-item's bytes of the matrices B(s) twice: as they are, and with the two halves of
 * each matrix exchanged. The second load is volatile; otherwise the compiler would load once and
 * copy words between registers before each use. */
FN void load_columns(u32 b[SLICES][4], GLOBAL const u32 *v, u32 words, u32 row, u32 lane) {
    u32 at = 64 * row + lane / 4 * 8 + lane % 4;
    GLOBAL const u32 *from = v + at;
    GLOBAL const volatile u32 *again = from;
    UNROLL
    for (u32 k = 0; k < SLICES; k++, at += 64 * TEAM) {
        b[k][0] = at < words ? from[64 * TEAM * k] : 0u;
        b[k][1] = at + 4 < words ? from[64 * TEAM * k + 4] : 0u;
        b[k][2] = at + 4 < words ? again[64 * TEAM * k + 4] : 0u;
        b[k][3] = at < words ? again[64 * TEAM * k] : 0u;
    }
}

/* Stores the first column of the sums d to {to, 16}, and moves each other column to the place of
 * the one before it. */
FN void put_column(LOCAL u32 *to, u32 *d, u32 lane) {
    if (lane % 4 == 0) {
        to[lane / 4] = d[0];
        to[lane / 4 + 8] = d[2];
    }
    UNROLL
    for (u32 i = 0; i < 4; i += 2) {
        u32 next = shuffle_down(d[i], 4);
        d[i] = d[i + 1];
        d[i + 1] = lane % 4 == 3 ? 0u : next;
    }
}

/* Stores eight blocks of the product as words from word `at`. Row 0 first adds the sums that all
 * TEAM rows of work-items have stored for these blocks. */
FN void put_words(struct matrix_row m, u32 at, struct onward *onward) {
    TEAM_BARRIER();
    if (m.row == 0) {
        u32 c[4];
        LOAD4(LOCAL, c, m.sums + 4 * m.lane);
        UNROLL
        for (u32 k = 1; k < TEAM; k++) {
            u32 other[4];
            LOAD4(LOCAL, other, m.sums + k * SUMS + 4 * m.lane);
            UNROLL
            for (u32 i = 0; i < 4; i++)
                c[i] += other[i];
        }
        u32 x = resolve_row(c, onward, m.lane);
        if (at + m.lane < m.result_words)
            m.r[at] = x;
    }
    TEAM_BARRIER();
}

/* Computes the blocks of one phase from the matrices D(q) (kernels/batch/matrix_digits.h). A phase
 * is 16 TEAM values of q, for which the same matrices B(s) contribute to D(q). */
FN void multiply_phase(struct matrix_row m, u32 phase, u32 a[SLICES][4], u32 b[SLICES][4],
                       u32 *even, u32 *odd, struct onward *onward) {
    u32 begin = 16 * TEAM * phase, end = begin + 16 * TEAM;
    end = end < m.blocks ? end : m.blocks;
    for (u32 q = begin; q < end; q += 2) {
        UNROLL
        for (u32 k = 0; k < SLICES; k++)
            if (k <= phase && (phase < k + SLICES ||
                               /* only if this part of the matrix A is not zero */
                               (phase == k + SLICES && q - begin < 16 * m.row + 2)))
                multiply_step(even, odd, a[k], b[k], m.copy + 4 * q - 64 * TEAM * k);
        put_column(m.sums + q % 8 * 16, even, m.lane);
        put_column(m.sums + q % 8 * 16 + 16, odd, m.lane);
        if (q % 8 == 6 || q + 2 >= m.blocks)
            put_words(m, q / 8 * ROW, onward);
    }
}

FN void multiply(struct matrix_row m, u32 b[SLICES][4]) {
    u32 even[4] = {0, 0, 0, 0}, odd[4] = {0, 0, 0, 0}, a[SLICES][4];
    struct onward onward = {0, 0};
    UNROLL
    for (u32 k = 0; k < SLICES; k++)
        a[k][2] = a[k][3] = 0;
    UNROLL
    for (u32 phase = 0; phase < 2 * SLICES; phase++)
        if (16 * TEAM * phase < m.blocks)
            multiply_phase(m, phase, a, b, even, odd, &onward);
}

/* Sets number i of r to the low result_words words of number i of u times number i of v, for i <
 * count. `words` is at most WORDS, result_words at most 2 `words`. u_step and v_step are the
 * distances between numbers, in words, or 0. */
KERNEL_EXACT(BATCH_MATRIX_THREADS)
batch_matrix(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *u, u64 u_at, u32 u_step,
             GLOBAL const u32 *v, u64 v_at, u32 v_step, u64 count, u32 words, u32 result_words) {
    LOCAL_ARRAY(u32, copies, TEAMS * 4 * STRIDE);
    LOCAL_ARRAY(u32, sums, ROWS * SUMS);
    u32 item = LOCAL_ID % (ROW * TEAM), team = LOCAL_ID / (ROW * TEAM), b[SLICES][4];
    u64 number = (u64)GROUP_X * TEAMS + team;
    LOCAL u32 *mine = copies + team * 4 * STRIDE;
    struct matrix_row m = {.lane = LOCAL_ID % ROW, .row = item / ROW};
    m.result_words = number < count ? result_words : 0;
    number = number < count
                 ? number
                 : count - 1; /* surplus teams compute the last number again, and store nothing */
    m.r = r + r_at + number * result_words + m.lane;
    m.copy = copy_of(mine, STRIDE, BELOW, m.lane) - 64 * m.row;
    m.sums = sums + LOCAL_ID / ROW * SUMS;
    m.blocks = (result_words + 3) / 4;
    copy_bytes(mine, STRIDE, BELOW, u + u_at + number * u_step, words, item, ROW * TEAM);
    load_columns(b, v + v_at + number * v_step, words, m.row, m.lane);
    BARRIER();
    multiply(m, b);
}

#endif
