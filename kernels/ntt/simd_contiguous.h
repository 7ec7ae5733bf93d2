/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The kernels of contiguous.cl for CPUs, with one work-item in a group. A segment consists of rows
 * of SIMD adjacent values. All levels but the last four work on rows, as in simd_strided.h. The
 * last four levels work on transposed blocks of 16 rows. Transformed operands stay transposed.
 * `multiply` also computes squares: each kernel takes seconds to build, so there is no other kernel
 * for squares. */
#ifndef SIMD_CONTIGUOUS_H
#define SIMD_CONTIGUOUS_H

#include "kernels/common/powers.h"
#include "kernels/common/simd.h"
#include "kernels/ntt/geometry.h"

#define LOG_POINTS CONTIGUOUS_LOG_POINTS
/* Rows of a segment. */
#define ROWS (1 << (LOG_R - LOG_SIMD))
#define EACH(k) UNROLL for (u32 k = 0; k < 16; k++)

struct place {
    struct simd_modulus m;
    GLOBAL const u32 *table;
    /* Offset of the segment, in words. */
    u64 origin;
    u32 root; /* r = w^root */
};

/* Returns the place of segment i of the group's chunk. */
FN struct place place_of_segment(GLOBAL const u32 *tables, u32 chunks, u32 first_node, u32 i) {
    struct place at;
    u32 segment = (GROUP_X << (LOG_POINTS - LOG_R)) + i;
    at.table = tables + GROUP_Y % PRIMES * TABLE_WORDS;
    at.m.p = at.table[TABLE_P];
    at.m.pinv = at.table[TABLE_PINV];
    at.origin = (((u64)GROUP_Y * chunks) << LOG_POINTS) + ((u64)segment << LOG_R);
    at.root = reverse_bits(first_node + segment) >> (32 - PRIMES_LOG_ORDER + LOG_R);
    return at;
}

/* Returns w^e in Montgomery form, with e taken modulo 2^25. */
FN u32 power(u32 e, struct place at) {
    return power_of_root(at.table, e, at.m.p, (u32)at.m.pinv);
}

/* Returns w^(e k) for k = 0 to 15. */
FN simd powers(u32 e, struct place at) {
    const u32 one = at.table[TABLE_LOW];
    simd x = (simd)(one);
    x.odd = (uint8)(power(e, at));
    uint16 second = (uint16)(one), third = second, fourth = second;
    u32 e2 = power(2 * e, at), e4 = power(4 * e, at), e8 = power(8 * e, at);
    second.s2367 = (uint4)(e2), second.sabef = (uint4)(e2);
    third.s4567 = (uint4)(e4), third.scdef = (uint4)(e4);
    fourth.s89abcdef = (uint8)(e8);
    return simd_mul(simd_mul(x, second, at.m), simd_mul(third, fourth, at.m), at.m);
}

/* Transposes 16 rows: x[k] becomes the vector of the k-th values of all rows. */
FN void transpose(simd *x) {
    UNROLL
    for (int step = 0; step < 4; step++) {
        simd y[16];
        UNROLL
        for (int i = 0; i < 8; i++) {
            y[2 * i].even = x[i].lo;
            y[2 * i].odd = x[i + 8].lo;
            y[2 * i + 1].even = x[i].hi;
            y[2 * i + 1].odd = x[i + 8].hi;
        }
        EACH(k) x[k] = y[k];
    }
}

/* Moves the even-numbered values of 2 n vectors into the first n vectors, the odd-numbered values
 * into the others. */
FN void deal(simd *x, int n) {
    simd odd[8];
    UNROLL
    for (int i = 0; i < n; i++) {
        odd[i] = (simd)(x[2 * i].odd, x[2 * i + 1].odd);
        x[i] = (simd)(x[2 * i].even, x[2 * i + 1].even);
    }
    UNROLL
    for (int i = 0; i < n; i++)
        x[n + i] = odd[i];
}

FN void exchange(simd *a, simd *b) {
    simd t = *a;
    *a = *b, *b = t;
}

/* Computes the factors of four levels below sixteen nodes, one node for each lane: lane i has
 * node + i. At level l, block k of the lane's node has the factor w[((node + i) << l) + k]; it
 * goes to lane i of f[2^l + k]. */
FN void lane_factors(simd *f, GLOBAL const u32 *w, u32 node) {
    UNROLL
    for (int l = 0; l < 4; l++) {
        simd *x = f + (1 << l);
        UNROLL
        for (int i = 0; i < 1 << l; i++)
            x[i] = vload16(i, w + (node << l));
        UNROLL
        for (int n = (1 << l) / 2; n > 0; n /= 2) {
            UNROLL
            for (int i = 0; i < 1 << l; i += 2 * n)
                deal(x + i, n);
        }
        if (l == 2) /* `deal` leaves vectors in the order 0 2 1 3 */
            exchange(x + 1, x + 2);
        if (l == 3) /* `deal` leaves vectors in the order 0 4 2 6 1 5 3 7 */
            exchange(x + 1, x + 4), exchange(x + 3, x + 6);
    }
}

#define DATA(row) (*(GLOBAL simd *)(data + at.origin + SIMD * (row)))

/* Multiplies value k of the group's segment by r^k, where r = w^at.root. Then computes those levels
 * of the forward transform that combine rows. The results are in `tile`, or in a if LOG_R is 8. */
FN void rows_forward(simd *a, simd *tile, GLOBAL const u32 *data, struct place at) {
    GLOBAL const u32 *w = at.table + TABLE_V;
    simd lanes = powers(at.root, at);
    u32 f[16];
    SIMD_FACTORS(f, 4, w, 0u);
#if LOG_R == 12
    u32 step = power(at.root << 8, at), next = power(at.root << 4, at);
    for (u32 i = 0; i < 16; i++) {
        simd factor = lanes;
        EACH(k) {
            a[k] = simd_mul(DATA(k << 4 | i), factor, at.m);
            if (k < 15)
                factor = simd_mul_word(factor, step, at.m);
        }
        simd_forward_4(a, f, at.m);
        EACH(k) tile[k << 4 | i] = a[k];
        lanes = simd_mul_word(lanes, next, at.m);
    }
#else
    u32 step = power(at.root << 4, at);
    EACH(k) {
        a[k] = simd_mul(DATA(k), lanes, at.m);
        lanes = simd_mul_word(lanes, step, at.m);
    }
    simd_forward_4(a, f, at.m);
#endif
}

FN void rows_inverse(simd *a, simd *tile, GLOBAL u32 *data, struct place at) {
    GLOBAL const u32 *wi = at.table + TABLE_V_INVERSE;
    simd lanes = powers(0u - at.root, at);
    u32 f[16];
    SIMD_FACTORS(f, 4, wi, 0u);
#if LOG_R == 12
    u32 step = power(0u - (at.root << 8), at), next = power(0u - (at.root << 4), at);
    for (u32 i = 0; i < 16; i++) {
        simd factor = lanes;
        EACH(k) a[k] = tile[k << 4 | i];
        simd_inverse_4(a, f, at.m);
        EACH(k) {
            DATA(k << 4 | i) = simd_mul(a[k], factor, at.m);
            factor = simd_mul_word(factor, step, at.m);
        }
        lanes = simd_mul_word(lanes, next, at.m);
    }
#else
    u32 step = power(0u - (at.root << 4), at);
    simd_inverse_4(a, f, at.m);
    EACH(k) {
        DATA(k) = simd_mul(a[k], lanes, at.m);
        lanes = simd_mul_word(lanes, step, at.m);
    }
#endif
}

/* Computes the last levels for block j of 16 rows, in registers. */
FN void tile_forward(simd *a, simd *tile, u32 j, struct place at) {
    GLOBAL const u32 *w = at.table + TABLE_V;
    simd f[16];
#if LOG_R == 12
    u32 g[16];
    SIMD_FACTORS(g, 4, w, j);
    EACH(k) a[k] = tile[j << 4 | k];
    simd_forward_4(a, g, at.m);
#endif
    transpose(a);
    lane_factors(f, w, j << 4);
    simd_lanes_forward_4(a, f, at.m);
}

FN void tile_inverse(simd *a, simd *tile, u32 j, struct place at) {
    GLOBAL const u32 *wi = at.table + TABLE_V_INVERSE;
    simd f[16];
    lane_factors(f, wi, j << 4);
    simd_lanes_inverse_4(a, f, at.m);
    transpose(a);
#if LOG_R == 12
    u32 g[16];
    SIMD_FACTORS(g, 4, wi, j);
    simd_inverse_4(a, g, at.m);
    EACH(k) tile[j << 4 | k] = a[k];
#endif
}

#define EACH_SEGMENT(i) for (u32 i = 0; i < 1u << (LOG_POINTS - LOG_R); i++)
#define EACH_BLOCK(j) for (u32 j = 0; j < ROWS / 16; j++)

#if defined(SUM_ALONE)

KERNEL(1)
multiply_sum(GLOBAL u32 *RESTRICT data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 chunks,
             u32 first_node, GLOBAL const u32 *kept, u64 kept_at, GLOBAL const u32 *window,
             u64 window_at, u64 stride, u32 slot, u32 slots, u32 count) {
    simd tile[ROWS];
    data += data_at;
    EACH_SEGMENT(segment) {
        struct place at = place_of_segment(tables, chunks, first_node, segment);
        simd a[16];
        EACH_BLOCK(j) {
            u64 first = at.origin + SIMD * (j << 4);
            EACH(k) a[k] = (simd)(0u);
            for (u32 i = 0; i < count; i++) {
                u32 partner = (slot + slots - i) % slots;
                GLOBAL const simd *x = (GLOBAL const simd *)(kept + kept_at + i * stride + first);
                GLOBAL const simd *y =
                    (GLOBAL const simd *)(window + window_at + partner * stride + first);
                EACH(k) a[k] = simd_add(a[k], simd_mul(x[k], y[k], at.m), at.m);
            }
            tile_inverse(a, tile, j, at);
        }
        rows_inverse(a, tile, data, at);
    }
}

KERNEL(1)
inverse_first(GLOBAL u32 *data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 chunks,
              u32 first_node) {
    simd tile[ROWS];
    data += data_at;
    EACH_SEGMENT(segment) {
        struct place at = place_of_segment(tables, chunks, first_node, segment);
        simd a[16];
        EACH_BLOCK(j) {
            EACH(k) a[k] = DATA(j << 4 | k);
            tile_inverse(a, tile, j, at);
        }
        rows_inverse(a, tile, data, at);
    }
}

#else

KERNEL(1)
forward_last(GLOBAL u32 *data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 chunks,
             u32 first_node) {
    simd tile[ROWS];
    data += data_at;
    EACH_SEGMENT(segment) {
        struct place at = place_of_segment(tables, chunks, first_node, segment);
        simd a[16];
        rows_forward(a, tile, data, at);
        EACH_BLOCK(j) {
            tile_forward(a, tile, j, at);
            EACH(k) DATA(j << 4 | k) = a[k];
        }
    }
}

/* Multiplies data by the complete transform `other`, as contiguous.cl does; squares data if `other`
 * is data itself. */
KERNEL(1)
multiply(GLOBAL u32 *data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 chunks,
         u32 first_node, GLOBAL const u32 *other, u64 other_at) {
    simd tile[ROWS];
    data += data_at;
    other += other_at;
    const bool squares = other == data;
    EACH_SEGMENT(segment) {
        struct place at = place_of_segment(tables, chunks, first_node, segment);
        simd a[16];
        rows_forward(a, tile, data, at);
        EACH_BLOCK(j) {
            tile_forward(a, tile, j, at);
            if (squares) {
                EACH(k) a[k] = simd_mul(a[k], a[k], at.m);
            } else {
                GLOBAL const simd *x = (GLOBAL const simd *)(other + at.origin) + (j << 4);
                EACH(k) a[k] = simd_mul(a[k], x[k], at.m);
            }
            tile_inverse(a, tile, j, at);
        }
        rows_inverse(a, tile, data, at);
    }
}

#endif

#endif
