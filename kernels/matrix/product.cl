/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of matrices of residues, for each prime: residue (row, column) of prime q is the sum
 * over i of a(q, row, i) b(q, column, i), times the prime's factor (MATRIX_SCALE). If `adds` is
 * set, the residue in `out` is added. b has the second matrix's columns as lines. Group (x, q)
 * computes tile x for prime q. */
#include "kernels/matrix/residues.h"

#define DEPTH 32
#define SIDE 16 /* work-items along a side of a tile */
/* A work-item computes the results of OUTPUTS rows and OUTPUTS columns. */
#define OUTPUTS 4
/* number of products added in 32 bits before they are added to a 64-bit sum: 16 products below
 * 2^28 fit */
#define FLUSH 16
#define STRIDE (MATRIX_TILE + 1)

/* Loads DEPTH residues of MATRIX_TILE lines into local memory, term by term. */
FN void load_tile(LOCAL u32 *share, GLOBAL const u16 *lines, u32 line, u32 count, u32 padded,
                  u32 at) {
    GLOBAL const u32 *words = (GLOBAL const u32 *)lines;
    for (u32 k = LOCAL_ID; k < MATRIX_TILE * DEPTH / 2; k += MATRIX_THREADS) {
        const u32 l = k / (DEPTH / 2), w = k % (DEPTH / 2);
        const u32 two = line + l < count ? words[((u64)(line + l) * padded + at) / 2 + w] : 0u;
        share[2 * w * STRIDE + l] = matrix_unpack(two & 0xffffu);
        share[(2 * w + 1) * STRIDE + l] = matrix_unpack(two >> 16);
    }
}

/* Adds FLUSH products of the tiles to each of the sums. */
FN void add_terms(u64 *sums, LOCAL const u32 *a, LOCAL const u32 *b) {
    u32 low[OUTPUTS * OUTPUTS];
    UNROLL
    for (int i = 0; i < OUTPUTS * OUTPUTS; i++)
        low[i] = 0;
    for (u32 k = 0; k < FLUSH; k++) {
        u32 x[OUTPUTS], y[OUTPUTS];
        UNROLL
        for (int i = 0; i < OUTPUTS; i++) {
            x[i] = a[k * STRIDE + SIDE * i];
            y[i] = b[k * STRIDE + SIDE * i];
        }
        UNROLL
        for (int i = 0; i < OUTPUTS * OUTPUTS; i++)
            low[i] += x[i / OUTPUTS] * y[i % OUTPUTS];
    }
    UNROLL
    for (int i = 0; i < OUTPUTS * OUTPUTS; i++)
        sums[i] += low[i];
}

KERNEL(MATRIX_THREADS)
matrix_product(GLOBAL u16 *out, GLOBAL const u16 *a, GLOBAL const u16 *b, u32 rows, u32 columns,
               u32 padded, u32 tile_rows, u32 tile_columns, GLOBAL const u32 *table, u32 adds) {
    LOCAL_ARRAY(u32, share_a, DEPTH * STRIDE);
    LOCAL_ARRAY(u32, share_b, DEPTH * STRIDE);
    const struct matrix_tile tile = matrix_tile_of(GROUP_X, tile_rows, tile_columns);
    const struct matrix_prime m = matrix_prime_of(table, GROUP_Y);
    const u32 row = tile.row * MATRIX_TILE, column = tile.column * MATRIX_TILE;
    const u32 i = LOCAL_ID / SIDE, j = LOCAL_ID % SIDE;
    const u32 has_results = row + i < rows && column + j < columns;
    u64 sums[OUTPUTS * OUTPUTS];
    UNROLL
    for (int k = 0; k < OUTPUTS * OUTPUTS; k++)
        sums[k] = 0;
    a += (u64)GROUP_Y * rows * padded;
    b += (u64)GROUP_Y * columns * padded;
    out += (u64)GROUP_Y * rows * columns;
    for (u32 at = 0; at < padded; at += DEPTH) {
        BARRIER();
        load_tile(share_a, a, row, rows, padded, at);
        load_tile(share_b, b, column, columns, padded, at);
        BARRIER();
        for (u32 k = 0; has_results && k < DEPTH; k += FLUSH)
            add_terms(sums, share_a + k * STRIDE + i, share_b + k * STRIDE + j);
    }
    for (u32 k = 0; k < OUTPUTS * OUTPUTS; k++) {
        const u32 r = row + i + SIDE * (k / OUTPUTS), c = column + j + SIDE * (k % OUTPUTS);
        if (r < rows && c < columns) {
            GLOBAL u16 *to = out + (u64)r * columns + c;
            *to = (u16)matrix_scaled(matrix_reduce(sums[k], m), adds ? *to : 0u, m);
        }
    }
}
