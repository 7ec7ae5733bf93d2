/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of matrices whose entries are transforms modulo the primes of kernels/common/primes.h,
 * and the last step of their conversion to integers (lib/matrix/matrix_long.h). */
#include "kernels/common/carry_below.h"
#include "kernels/common/modular.h"
#include "kernels/common/tables.h"
#include "kernels/matrix/matrix.h"

#define SIDE MATRIX_POINTS_SIDE
#define POINTS MATRIX_POINTS

#if defined(ON_CPU)
#include "kernels/common/simd.h"

/* Computes the same as matrix_points below, in vectors of residues at sixteen points. A group is
 * one work-item. */
KERNEL(1)
matrix_points(GLOBAL u32 *RESTRICT r, u64 r_at, GLOBAL const u32 *RESTRICT a, u64 a_at,
              GLOBAL const u32 *RESTRICT b, u64 b_at, GLOBAL const u32 *RESTRICT tables, u32 rows,
              u32 inner, u32 columns, u32 points, u32 tiles, u32 tile_columns) {
    GLOBAL const u32 *table = tables + GROUP_Y * TABLE_WORDS;
    const struct simd_modulus m = {table[TABLE_P], table[TABLE_PINV]};
    const u32 tile = GROUP_X % tiles, row = tile / tile_columns * SIDE;
    const u32 column = tile % tile_columns * SIDE;
    const u64 step = (u64)PRIMES * points / SIMD;
    for (u32 v = 0; v < POINTS; v += SIMD) {
        const u64 from = (u64)GROUP_Y * points + GROUP_X / tiles * POINTS + v;
        GLOBAL const simd *x = (GLOBAL const simd *)(a + a_at + from);
        GLOBAL const simd *y = (GLOBAL const simd *)(b + b_at + from);
        GLOBAL simd *to = (GLOBAL simd *)(r + r_at + from);
        for (u32 i = row; i < rows && i < row + SIDE; i++)
            for (u32 j = column; j < columns && j < column + SIDE; j++) {
                simd sum = (simd)(0u);
                for (u64 k = 0; k < inner; k++)
                    sum = simd_add(
                        sum,
                        simd_mul(x[((u64)i * inner + k) * step], y[(k * columns + j) * step], m),
                        m);
                to[((u64)i * columns + j) * step] = sum;
            }
    }
}
#else

/* DEPTH: terms of the sums in a step. OWN_ROWS x OWN_COLUMNS: the entries of the group's tile that
 * a work-item computes. FETCHED: the words of each factor that a work-item loads in a step. */
#define DEPTH 4
#define OWN_ROWS 4
#define OWN_COLUMNS 8
#define FETCHED (SIDE * DEPTH * POINTS / MATRIX_THREADS)
#if MATRIX_THREADS / POINTS * OWN_ROWS * OWN_COLUMNS != SIDE * SIDE || DEPTH % 2 ||                \
    MATRIX_THREADS / POINTS != 2 * DEPTH
#error "the work-items of a point compute a tile, and load two lines at once"
#endif

/* Returns a mask of the lines line, line + 2 ... of a tile that are below `lines`. */
FN u32 mask_of(u32 line, u32 lines) {
    u32 mask = 0;
    UNROLL
    for (u32 k = 0; k < FETCHED; k++)
        mask |= (u32)(line + 2 * k < lines) << k;
    return mask;
}

/* Loads residues x[k stride], k < FETCHED; 0 where the mask's bit k is not set. */
FN void fetch(u32 *to, GLOBAL const u32 *x, u64 stride, u32 mask) {
    UNROLL
    for (u32 k = 0; k < FETCHED; k++)
        to[k] = mask >> k & 1u ? x[k * stride] : 0u;
}

/* Subtracts p 2^32 from a sum that is at least as large. A sum below (2^32 - p) 2^32 remains below
 * 2^64 if two products of canonical residues are added: 2 p^2 < 2^32 p. */
FN u64 sum_reduce(u64 sum, u32 p) {
    return (u64)mod_canonical((u32)(sum >> 32), p) << 32 | (u32)sum;
}

/* Adds the step's products to the sums. x and y point to residues at the work-item's point: x to
 * the first of its rows, y to the first of its columns. */
FN void add_terms(u64 sums[OWN_ROWS][OWN_COLUMNS], LOCAL const u32 *x, LOCAL const u32 *y, u32 p) {
    UNROLL
    for (u32 k = 0; k < DEPTH; k++) {
        u32 a[OWN_ROWS], b[OWN_COLUMNS];
        UNROLL
        for (u32 i = 0; i < OWN_ROWS; i++)
            a[i] = x[(i * DEPTH + k) * POINTS];
        UNROLL
        for (u32 j = 0; j < OWN_COLUMNS; j++)
            b[j] = y[(j * DEPTH + k) * POINTS];
        UNROLL
        for (u32 e = 0; e < OWN_ROWS * OWN_COLUMNS; e++) {
            u64 *sum = &sums[e / OWN_COLUMNS][e % OWN_COLUMNS];
            *sum += (u64)a[e / OWN_COLUMNS] * b[e % OWN_COLUMNS];
            if (k % 2)
                *sum = sum_reduce(*sum, p);
        }
    }
}

/* Computes R = A B / 2^32 for matrices of transforms; A has rows x inner entries, B inner x
 * columns. An entry has `points` residues, one word each, modulo each of the primes, prime after
 * prime. The matrices begin at words r_at, a_at and b_at. Group (x, y) computes a tile of SIDE x
 * SIDE entries modulo prime y, at POINTS points. Groups of the same points are neighbours, so that
 * the cache has their data. In local memory, residues are in the order line, term, point; a line is
 * a row of A or a column of B. The results are canonical. */
KERNEL_DENSE(MATRIX_THREADS, 2)
matrix_points(GLOBAL u32 *RESTRICT r, u64 r_at, GLOBAL const u32 *RESTRICT a, u64 a_at,
              GLOBAL const u32 *RESTRICT b, u64 b_at, GLOBAL const u32 *RESTRICT tables, u32 rows,
              u32 inner, u32 columns, u32 points, u32 tiles, u32 tile_columns) {
    LOCAL_ARRAY(u32, share_a, SIDE * DEPTH * POINTS);
    LOCAL_ARRAY(u32, share_b, SIDE * DEPTH * POINTS);
    GLOBAL const u32 *table = tables + GROUP_Y * TABLE_WORDS;
    const struct modulus m = {table[TABLE_P], table[TABLE_PINV], table[TABLE_ZERO]};
    const u32 point = LOCAL_ID % POINTS, own = LOCAL_ID / POINTS, tile = GROUP_X % tiles;
    const u32 row = tile / tile_columns * SIDE, column = tile % tile_columns * SIDE;
    const u32 own_row = own % (SIDE / OWN_ROWS) * OWN_ROWS;
    const u32 own_column = own / (SIDE / OWN_ROWS) * OWN_COLUMNS;
    const u32 is_needed = row + own_row < rows && column + own_column < columns;
    /* the line and the term that this work-item loads */
    const u32 line = own / DEPTH, term = own % DEPTH;
    const u32 mask_a = mask_of(row + line, rows), mask_b = mask_of(column + line, columns);
    const u64 step = (u64)PRIMES * points;
    const u64 from = (u64)GROUP_Y * points + GROUP_X / tiles * POINTS + point;
    u32 x[FETCHED], y[FETCHED];
    u64 sums[OWN_ROWS][OWN_COLUMNS];
    UNROLL
    for (u32 e = 0; e < OWN_ROWS * OWN_COLUMNS; e++)
        sums[e / OWN_COLUMNS][e % OWN_COLUMNS] = 0;
    a += a_at + from + ((u64)(row + line) * inner + term) * step;
    b += b_at + from + ((u64)term * columns + column + line) * step;
    fetch(x, a, 2 * inner * step, term < inner ? mask_a : 0u);
    fetch(y, b, 2 * step, term < inner ? mask_b : 0u);
    for (u32 at = 0; at < inner; at += DEPTH) {
        BARRIER();
        UNROLL
        for (u32 k = 0; k < FETCHED; k++) {
            share_a[k * MATRIX_THREADS + LOCAL_ID] = mod_canonical(x[k], m.p);
            share_b[k * MATRIX_THREADS + LOCAL_ID] = mod_canonical(y[k], m.p);
        }
        BARRIER();
        a += DEPTH * step;
        b += DEPTH * columns * step;
        fetch(x, a, 2 * inner * step, at + DEPTH + term < inner ? mask_a : 0u);
        fetch(y, b, 2 * step, at + DEPTH + term < inner ? mask_b : 0u);
        if (is_needed)
            add_terms(sums, share_a + own_row * DEPTH * POINTS + point,
                      share_b + own_column * DEPTH * POINTS + point, m.p);
    }
    r += r_at + from;
    UNROLL
    for (u32 e = 0; e < OWN_ROWS * OWN_COLUMNS; e++) {
        const u32 i = row + own_row + e / OWN_COLUMNS, j = column + own_column + e % OWN_COLUMNS;
        /* The high word of a sum is below 2^32 - p < 3 p. Subtracting p twice makes it less than
         * p. */
        const u64 sum = sum_reduce(sum_reduce(sums[e / OWN_COLUMNS][e % OWN_COLUMNS], m.p), m.p);
        if (i < rows && j < columns)
            r[((u64)i * columns + j) * step] = mod_canonical(lazy_reduce(sum, m), m.p);
    }
}

#endif

/* Copies numbers of r_words words from c to entries of a matrix. crt.cl has computed the numbers in
 * chunks, and a flag for each chunk; this kernel resolves the carries between chunks. Group (x, y)
 * copies chunk x of number y, which begins at word y * c_step of c.
 *
 * Number y becomes entry first + y of a block, counted row by row. The block has `width` columns.
 * It begins at word r_at of a matrix of `columns` columns. */
KERNEL(CARRY_THREADS)
matrix_carry(GLOBAL u32 *RESTRICT r, u64 r_at, u64 first, u32 width, u64 columns, u32 r_words,
             GLOBAL const u32 *RESTRICT c, u64 c_step, GLOBAL const u32 *RESTRICT flags) {
    LOCAL_ARRAY(u32, stops, CARRY_THREADS);
    const u64 e = first + GROUP_Y;
    const u64 begin = (u64)GROUP_X * CARRY_CHUNK_ABOVE, all = begin + CARRY_CHUNK_ABOVE;
    const u64 end = all < r_words ? all : r_words;
    u32 carry = carry_from_below(flags + GROUP_Y * GROUPS_X, GROUP_X, stops);
    r += r_at + (e / width * columns + e % width) * r_words;
    c += GROUP_Y * c_step;
    for (u64 at = begin; at < end; at += CARRY_THREADS) {
        const u64 i = at + LOCAL_ID;
        const u32 x = i < end ? c[i] : 0u, stop = carry ? first_stop(stops, x != ~0u) : 0u;
        if (i < end)
            r[i] = x + (carry & (u32)(LOCAL_ID <= stop));
        carry &= (u32)(stop == CARRY_THREADS);
    }
}
