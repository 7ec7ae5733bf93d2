/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Multiplies many pairs of long numbers with matrix units; four rows of work-items compute one
 * product (kernels/common/matrix_group.h). Digits are bytes; a number has N = 4 WORDS digits. The
 * low N digits of the product are computed first, then the high N digits: two halves of the
 * computation.
 *
 * Let D be the matrix of sums. In the first half of the computation, place (i, n) of D is digit
 * 64 n + i of the product; in the second half it is digit N + 64 n + i. D is the sum over x of
 * A(x) B(x):
 * - A(x), 64 by 32 bytes: place (i, k) is digit 32 x + i - k of u.
 * - B(x): column n is slice 2 n - x of v, or slice N / 32 + 2 n - x in the second half. Slice s
 *   consists of the 32 digits of v from digit 32 s; it is zero if v has no such digits.
 *
 * So B(x + 2) is B(x) moved by one column. v is stored once, with even slices separate from odd
 * ones, and B(x) is a range of columns in it.
 *
 * Columns of B(x) that are zero are not multiplied. After each 2 PHASE steps of x, the number of
 * zero columns grows by PHASE in the first half, and shrinks by PHASE in the second half.
 *
 * A digit of the product is a sum of at most 2^14 products below 2^16, so it is below 2^30. */
#include "kernels/batch/matrix_digits.h"
#include "kernels/common/matrix_group.h"

#define THREADS BATCH_WIDE_THREADS
#define COLUMNS (WORDS / 16)
#define PHASE 32
#define PHASE_STEPS (2 * PHASE)
/* Slabs are arrays of columns of v in local memory. GAP columns of zeros precede each slab and
 * follow the last one. */
#define GAP (PHASE + 2)
#define SLAB (GAP + COLUMNS)
/* v consists of slices of 32 digits. Slab 0 has the low 16 digits of each even-numbered slice,
 * slab 1 the high 16 digits. Slabs 2 and 3 have the same of the odd-numbered slices. */
#define SLABS 4
/* CHUNK: a buffer holds the digits of u for this number of steps. There are two buffers, each with
 * four copies of these digits (copy_bytes). */
#define CHUNK 32
#define CHUNK_WORDS (8 * CHUNK + 16)
#define COPY (8 * CHUNK + 40) /* words from a copy to the next; copies begin in different banks */
#define BUFFER (4 * COPY)
#define FETCHED ((CHUNK_WORDS + THREADS - 1) / THREADS)
/* BATCH: the number of steps whose products are issued together. DENSE: the number of groups that
 * should fit on a multiprocessor. */
#define BATCH (WORDS > 3072 ? 2 : 4)
#define DENSE (512 / (COLUMNS / 2 + 42))
/* After the products, the copies' memory is used for sums: BLOCKS_AT_ONCE blocks of eight columns
 * of 64 sums. Four more words in each column let the next column begin in another bank. */
#define COLUMN (64 + 4)
#define BLOCKS_AT_ONCE 4
#define BLOCK_SUMS (8 * COLUMN)
#define ROWS (THREADS / ROW)

#if defined(MATRIX_GROUPS)

/* The work of a group, and this work-item's place in it. `copy` is where this work-item reads the
 * copies of u. `flags` has two masks for each row of work-items, with a bit for each of the row's
 * 32 words. One mask marks words that are all ones, the other mask marks words that generate a
 * carry. Even rounds and odd rounds use different sets of masks. */
struct wide {
    GLOBAL const u32 *u;
    LOCAL u32 *copies, *flags;
    LOCAL const u32 *copy;
    u64 columns;
    u32 words, lane, row;
};

/* Stores v in local memory as slabs (arrays of columns), with columns of zeros around them. */
FN void store_columns(LOCAL u32 *slabs, GLOBAL const u32 *v, u32 words) {
    for (u32 i = LOCAL_ID; i < (SLABS + 1) * GAP * 4; i += THREADS)
        slabs[i / (GAP * 4) * SLAB * 4 + i % (GAP * 4)] = 0;
    UNROLL
    for (u32 i = 0; i < WORDS; i += THREADS) {
        u32 j = i + LOCAL_ID, column = j / 16 + GAP;
        slabs[(j / 4 % SLABS * SLAB + column) * 4 + j % 4] = j < words ? v[j] : 0u;
    }
    group_columns_stored();
}

/* Loads the words of u that this work-item stores in the copies, for CHUNK steps from step x.
 * Copies are shifted by bytes, so each word of a copy has bytes of two adjacent words of u. `low`
 * gets the lower word, `high` the upper. */
FN void fetch(u32 *low, u32 *high, const struct wide *m, s32 x) {
    UNROLL
    for (u32 i = 0; i < FETCHED; i++) {
        u32 f = (u32)(8 * x - 8) + i * THREADS + LOCAL_ID; /* wraps below 0 */
        low[i] = f - 1 < m->words ? m->u[f - 1] : 0u;
        high[i] = f < m->words ? m->u[f] : 0u;
    }
}

FN void store_copies(LOCAL u32 *to, const u32 *low, const u32 *high) {
    UNROLL
    for (u32 i = 0; i < FETCHED; i++) {
        u32 at = i * THREADS + LOCAL_ID;
        UNROLL
        for (u32 c = 0; c < 4; c++)
            if (at < CHUNK_WORDS)
                to[c * COPY + at] = bytes_of(low[i], high[i], 0x1234u + c * 0x1111u);
    }
}

FN void load_lines(u32 a[BATCH][4], LOCAL const u32 *at) {
    UNROLL
    for (u32 k = 0; k < BATCH; k++, at += 8) {
        a[k][0] = at[4];
        a[k][1] = at[6];
        a[k][2] = at[0];
        a[k][3] = at[2];
    }
}

/* Multiplies columns `begin` to `end` in BATCH steps. `slice` is the number of the slice of v in
 * column 0 of the first step; it decreases by one in each step. */
FN void multiply_lines(u32 *d, u32 a[BATCH][4], u64 columns, s32 slice, u32 begin, u32 end) {
    group_begin();
    UNROLL
    for (u32 k = 0; k < BATCH; k++, slice--) {
        u64 from = columns_from(columns, (slice & 1) * (SLABS / 2 * SLAB) + (slice >> 1));
        UNROLL
        for (u32 n = begin; n < end; n += PHASE)
            group_multiply_add_32(d + n / 2, a[k], columns_from(from, (s32)n));
    }
    group_commit();
}

FN void multiply_chunk(const struct wide *m, u32 *d, u32 buffer, s32 slice, u32 begin, u32 end) {
    LOCAL const u32 *at = m->copy + buffer;
    for (u32 i = 0; i < CHUNK; i += BATCH, at += 8 * BATCH) {
        u32 a[BATCH][4];
        load_lines(a, at);
        multiply_lines(d, a, m->columns, slice - (s32)i, begin, end);
        group_wait();
    }
}

/* Computes d, the sums for the low half of the product's digits, or for the high half if
 * is_high. */
FN void multiply(const struct wide *m, u32 *d, u32 is_high) {
    u32 low[FETCHED], high[FETCHED], buffer = 0;
    s32 x = is_high ? 1 : -1, last = (s32)(m->words + 7) / 8;
    fetch(low, high, m, x);
    store_copies(m->copies, low, high);
    BARRIER();
    UNROLL
    for (u32 n = 0; n < COLUMNS; n += PHASE)
        for (u32 c = 0; c < PHASE_STEPS && x <= last; c += CHUNK) {
            fetch(low, high, m, x + CHUNK);
            if (is_high)
                multiply_chunk(m, d, buffer, 2 * COLUMNS - x, 0, n + PHASE);
            else
                multiply_chunk(m, d, buffer, -x, n, COLUMNS);
            x += CHUNK;
            buffer ^= BUFFER;
            store_copies(m->copies + buffer, low, high);
            BARRIER();
        }
}

/* Stores this work-item's sums of eight columns to local memory; each column has COLUMN words
 * there. */
FN void put_block(const struct wide *m, LOCAL u32 *sums, const u32 *d) {
    LOCAL u32 *to = sums + m->lane % 4 * 2 * COLUMN + m->row * 16 + m->lane / 4;
    to[0] = d[0];
    to[COLUMN] = d[1];
    to[8] = d[2];
    to[COLUMN + 8] = d[3];
}

/* Returns word j of the product before carries, as a sum of its four digits' sums. */
FN u64 sum_of(LOCAL const u32 *sums, u32 j) {
    u32 c[4];
    LOAD4(LOCAL, c, sums + j / 16 * COLUMN + j % 16 * 4);
    return (u64)c[0] + ((u64)c[1] << 8) + ((u64)c[2] << 16) + ((u64)c[3] << 24);
}

/* Returns the carry into the words of row `row`. *carry is the carry into row 0 before the call,
 * and the carry out of the last row afterwards. */
FN u32 carry_into_row(LOCAL const u32 *flags, u32 row, u32 *carry) {
    u32 in = 0;
    UNROLL
    for (u32 k = 0; k < ROWS; k++) {
        in = k == row ? *carry : in;
        u64 sum = (u64)flags[2 * k] + ((u64)flags[2 * k + 1] << 1 | *carry);
        *carry = (u32)(sum >> 32);
    }
    return in;
}

/* Resolves the carries of the THREADS words that the group computes in round `turn`. Returns this
 * work-item's word. Adds `over` to word 0 of round 0, and *carry to the first word of this round.
 * Sets *carry to the carry out of the round. */
FN u32 resolve_turn(const struct wide *m, u32 turn, u32 over, u32 *carry) {
    u32 j = turn * THREADS + LOCAL_ID;
    u64 t = sum_of(m->copies, j);
    LOCAL u32 *flags = m->flags + turn % 2 * 2 * ROWS;
    if (j)
        over = (u32)(sum_of(m->copies, j - 1) >> 32);
    t = (u64)(u32)t + over;
    u32 x = (u32)t, p = ROW_BALLOT(x == ~0u), g = ROW_BALLOT((u32)(t >> 32));
    if (m->lane == 0) {
        flags[2 * m->row] = p;
        flags[2 * m->row + 1] = g;
    }
    BARRIER();
    u32 in = carry_into_row(flags, m->row, carry);
    return x + (((p + (g << 1 | in)) ^ p) >> m->lane & 1u);
}

/* Converts the sums d to words of r from word `at`. Adds *over and *carry to the first word. Sets
 * *over and *carry to what must be added to the word after the last. */
FN void put_digits(const struct wide *m, const u32 *d, GLOBAL u32 *r, u32 at, u32 result_words,
                   u32 *over, u32 *carry) {
    UNROLL
    for (u32 b = 0; b < COLUMNS / 8; b += BLOCKS_AT_ONCE) {
        UNROLL
        for (u32 k = 0; k < BLOCKS_AT_ONCE; k++)
            put_block(m, m->copies + k * BLOCK_SUMS, d + 4 * (b + k));
        BARRIER();
        UNROLL
        for (u32 k = 0; k < BLOCKS_AT_ONCE; k++, at += THREADS) {
            u32 x = resolve_turn(m, k, *over, carry);
            if (at + LOCAL_ID < result_words)
                r[at + LOCAL_ID] = x;
            if (k == BLOCKS_AT_ONCE - 2)
                *over = (u32)(sum_of(m->copies, BLOCKS_AT_ONCE * THREADS - 1) >> 32);
        }
    }
    BARRIER();
}

/* Computes products as the kernel batch_matrix does (kernels/batch/batch_matrix.cl), of long
 * numbers, with one group for each product. `words` is a multiple of 512, at most WORDS. */
KERNEL_DENSE(BATCH_WIDE_THREADS, DENSE)
batch_matrix_wide(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *u, u64 u_at, u32 u_step,
                  GLOBAL const u32 *v, u64 v_at, u32 v_step, u64 count, u32 words,
                  u32 result_words) {
    LOCAL_ARRAY(u32, slabs, (SLABS * SLAB + GAP) * 4);
    LOCAL_ARRAY(u32, copies, 2 * BUFFER);
    LOCAL_ARRAY(u32, flags, 4 * ROWS);
    u64 number = GROUP_X;
    u32 d[COLUMNS / 2], over = 0, carry = 0;
    struct wide m = {u + u_at + number * u_step, copies, flags};
    m.words = words, m.lane = LOCAL_ID % ROW, m.row = LOCAL_ID / ROW;
    m.columns = columns_of(slabs + 4 * GAP, 4 * SLAB);
    m.copy = copies + m.lane / 4 % 4 * COPY + 4 + m.row * 4 + m.lane / 16 - m.lane % 4;
    store_columns(slabs, v + v_at + number * v_step, words);
    for (u32 is_high = 0; is_high * WORDS < result_words; is_high++) {
        UNROLL
        for (u32 i = 0; i < COLUMNS / 2; i++)
            d[i] = 0;
        multiply(&m, d, is_high);
        put_digits(&m, d, r + r_at + number * result_words, is_high * WORDS, result_words, &over,
                   &carry);
    }
}

#endif
