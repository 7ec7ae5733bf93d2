/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Arithmetic modulo a prime p < 2^14 of the table, and the storage of residues (matrix.h). */
#ifndef MATRIX_ARITHMETIC_H
#define MATRIX_ARITHMETIC_H

#include "kernels/common/platform.h"
#include "kernels/matrix/matrix.h"

#if defined(__OPENCL_VERSION__)
typedef ushort u16;
#else
typedef unsigned short u16;
#endif

/* A prime with its constants (MATRIX_PRIME_WORDS). */
struct matrix_prime {
    u32 p, scale;
    u64 inverse;
};

FN struct matrix_prime matrix_prime_of(GLOBAL const u32 *table, u32 index) {
    GLOBAL const u32 *at = table + MATRIX_PRIME_WORDS * index;
    struct matrix_prime m;
    m.p = at[MATRIX_P];
    m.inverse = (u64)at[MATRIX_INVERSE_HIGH] << 32 | at[MATRIX_INVERSE_LOW];
    m.scale = at[MATRIX_SCALE];
    return m;
}

/* Returns x mod p. The quotient x inverse / 2^64 is too small by at most 1: inverse >= 2^64 / p -
 * 1 - 1/p, so x / p - x inverse / 2^64 <= x / 2^64 (1 + 1/p), below 1 for x < 2^63. */
FN u32 matrix_reduce(u64 x, struct matrix_prime m) {
    u32 r = (u32)x - (u32)MULHI64(x, m.inverse) * m.p;
    return r < m.p ? r : r - m.p;
}

/* Returns a number below 2 p: x mod p, or x mod p + p. The quotient x inverse / 2^64 is greater
 * than x / p - 1, so it is too small by at most 1. */
FN u32 matrix_below_twice(u32 x, struct matrix_prime m) {
    return x - MULHI32(x, (u32)(m.inverse >> 32)) * m.p;
}

/* Returns x mod p. */
FN u32 matrix_below(u32 x, struct matrix_prime m) {
    const u32 r = matrix_below_twice(x, m);
    return MIN32(r, r - m.p);
}

/* Returns (h 2^14 + (s - h - l) 2^7 + l) mod p. h is the sum of products of high bytes, l of low
 * bytes, s of sums of both bytes. So s >= h + l, and the value is below 2^47. */
FN u32 matrix_of_sums(u32 h, u32 l, u32 s, struct matrix_prime m) {
    return matrix_reduce(((u64)h << 14) + ((u64)(s - h - l) << 7) + l, m);
}

/* Returns the residue that a product's kernel stores: `sum` times the prime's factor, plus
 * `before`. `sum` and `before` are below p. */
FN u32 matrix_scaled(u32 sum, u32 before, struct matrix_prime m) {
    return matrix_reduce((u64)sum * m.scale + before, m);
}

FN u32 matrix_pack(u32 v) {
    return (v & 127u) | v >> 7 << 8;
}
FN u32 matrix_unpack(u32 bytes) {
    return (bytes & 127u) | (bytes >> 1 & 0x3f80u);
}

/* The tile that a group computes. Tiles are in bands of MATRIX_BAND rows of tiles, ordered by
 * columns in each band, so that groups that run at the same time read the same lines. */
struct matrix_tile {
    u32 row, column;
};

FN struct matrix_tile matrix_tile_of(u32 group, u32 tile_rows, u32 tile_columns) {
    u32 band = group / (MATRIX_BAND * tile_columns), in = group % (MATRIX_BAND * tile_columns);
    u32 left = tile_rows - MATRIX_BAND * band, rows = left < MATRIX_BAND ? left : MATRIX_BAND;
    struct matrix_tile t;
    t.row = MATRIX_BAND * band + in % rows;
    t.column = in / rows;
    return t;
}

#endif
