/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of matrices of residues with matrix units (kernels/common/matrix.h); arguments and
 * result are those of matrix_product (product.cl).
 *
 * A residue is 128 h + l. Three products of byte matrices, of the bytes h, of the bytes l and of
 * the sums h + l, determine the product modulo p (matrix_of_sums). A row of 32 work-items computes
 * 32 by 32 residues. Sums have 32 bits, for at most MATRIX_MOST_INNER terms. */
#include "kernels/common/matrix.h"
#include "kernels/matrix/residues.h"

#define DEPTH 32 /* terms of a step */
#define LINES (MATRIX_UNITS_ROWS + MATRIX_UNITS_COLUMNS)
#define KINDS 3 /* bytes stored for a residue 128 h + l with h, l < 128: l, h, and h + l */
/* Words of a line: 8, and 4 more so that eight lines are in different banks. */
#define STRIDE (DEPTH / 4 + 4)
#define KIND (LINES * STRIDE)
/* vectors of 8 residues that a work-item loads in a step */
#define FETCHED (LINES * 4 / MATRIX_THREADS)
/* 32 work-items compute ROW_TILES tiles of 16 rows by COLUMN_TILES tiles of 8 columns */
#define ROW_TILES 2
#define COLUMN_TILES 4

#if defined(MATRIX_UNITS)

/* Loads this work-item's vectors for the step that begins at term `at`: lines of a, then lines of
 * b. */
FN void fetch(u32 x[FETCHED][4], GLOBAL const u16 *a, GLOBAL const u16 *b, u32 rows, u32 columns,
              u32 padded, u32 at) {
    UNROLL
    for (u32 k = 0; k < FETCHED; k++) {
        const u32 v = k * MATRIX_THREADS + LOCAL_ID, line = v / 4;
        const u32 is_a = line < MATRIX_UNITS_ROWS, own = is_a ? line : line - MATRIX_UNITS_ROWS;
        GLOBAL const u16 *from = (is_a ? a : b) + (u64)own * padded + at + v % 4 * 8;
        x[k][0] = x[k][1] = x[k][2] = x[k][3] = 0;
        if (own < (is_a ? rows : columns))
            LOAD4(GLOBAL, x[k], (GLOBAL const u32 *)from);
    }
}

/* Stores the fetched residues as three kinds of bytes. */
FN void store(LOCAL u32 *share, u32 x[FETCHED][4]) {
    UNROLL
    for (u32 k = 0; k < FETCHED; k++) {
        const u32 v = k * MATRIX_THREADS + LOCAL_ID;
        LOCAL u32 *to = share + v / 4 * STRIDE + v % 4 * 2;
        u32 low[2], high[2];
        UNROLL
        for (int i = 0; i < 2; i++) {
            low[i] = bytes_of(x[k][2 * i], x[k][2 * i + 1], 0x6420);
            high[i] = bytes_of(x[k][2 * i], x[k][2 * i + 1], 0x7531);
        }
        STORE2_TO(LOCAL, to, low[0], low[1]);
        STORE2_TO(LOCAL, to + KIND, high[0], high[1]);
        STORE2_TO(LOCAL, to + 2 * KIND, low[0] + high[0], low[1] + high[1]);
    }
}

/* Adds the products of one kind of bytes, for one step, to the sums d of this row of 32 work-items.
 * The row multiplies some lines of each factor. a and b point to this work-item's word in the first
 * of these lines. */
FN void add_kind(u32 d[ROW_TILES][COLUMN_TILES][4], LOCAL const u32 *a, LOCAL const u32 *b) {
    u32 x[ROW_TILES][4];
    UNROLL
    for (int i = 0; i < ROW_TILES; i++) {
        LOCAL const u32 *at = a + 16 * i * STRIDE;
        x[i][0] = at[0], x[i][1] = at[8 * STRIDE];
        x[i][2] = at[4], x[i][3] = at[8 * STRIDE + 4];
    }
    UNROLL
    for (int j = 0; j < COLUMN_TILES; j++) {
        u32 y[2];
        y[0] = b[8 * j * STRIDE], y[1] = b[8 * j * STRIDE + 4];
        UNROLL
        for (int i = 0; i < ROW_TILES; i++)
            matrix_multiply_add(d[i][j], x[i], y);
    }
}

KERNEL_EXACT(MATRIX_THREADS)
matrix_units(GLOBAL u16 *out, GLOBAL const u16 *a, GLOBAL const u16 *b, u32 rows, u32 columns,
             u32 padded, u32 tile_rows, u32 tile_columns, GLOBAL const u32 *table, u32 adds) {
    LOCAL_ARRAY(u32, share, KINDS * KIND);
    const struct matrix_tile tile = matrix_tile_of(GROUP_X, tile_rows, tile_columns);
    const struct matrix_prime m = matrix_prime_of(table, GROUP_Y);
    const u32 row = tile.row * MATRIX_UNITS_ROWS, column = tile.column * MATRIX_UNITS_COLUMNS;
    const u32 lane = LOCAL_ID % 32, own_row = LOCAL_ID / 32 % 4 * 32;
    const u32 own_column = LOCAL_ID / 128 * 32;
    LOCAL const u32 *of_a = share + (own_row + lane / 4) * STRIDE + lane % 4;
    LOCAL const u32 *of_b = share + (MATRIX_UNITS_ROWS + own_column + lane / 4) * STRIDE + lane % 4;
    u32 d[KINDS][ROW_TILES][COLUMN_TILES][4], x[FETCHED][4];
    UNROLL
    for (int k = 0; k < KINDS * ROW_TILES * COLUMN_TILES * 4; k++)
        d[k / 32][k / 16 % 2][k / 4 % 4][k % 4] = 0;
    a += ((u64)GROUP_Y * rows + row) * padded;
    b += ((u64)GROUP_Y * columns + column) * padded;
    out += (u64)GROUP_Y * rows * columns;
    fetch(x, a, b, rows - row, columns - column, padded, 0);
    for (u32 at = 0; at < padded; at += DEPTH) {
        BARRIER();
        store(share, x);
        BARRIER();
        if (at + DEPTH < padded)
            fetch(x, a, b, rows - row, columns - column, padded, at + DEPTH);
        UNROLL
        for (int k = 0; k < KINDS; k++)
            add_kind(d[k], of_a + k * KIND, of_b + k * KIND);
    }
    UNROLL
    for (u32 k = 0; k < ROW_TILES * COLUMN_TILES * 4; k++) {
        const u32 i = k / 16, j = k / 4 % 4, n = k % 4;
        const u32 r = row + own_row + 16 * i + lane / 4 + n / 2 * 8;
        const u32 c = column + own_column + 8 * j + lane % 4 * 2 + n % 2;
        const u32 sum = matrix_of_sums(d[1][i][j][n], d[0][i][j][n], d[2][i][j][n], m);
        if (r < rows && c < columns) {
            GLOBAL u16 *to = out + (u64)r * columns + c;
            *to = (u16)matrix_scaled(sum, adds ? *to : 0u, m);
        }
    }
}

#endif
