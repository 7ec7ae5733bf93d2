/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The kernels of strided.cl for CPUs. A group is one work-item and transforms R rows of SIMD
 * columns, 16 rows at a time in registers. */
#ifndef SIMD_STRIDED_H
#define SIMD_STRIDED_H

#include "kernels/common/simd.h"

#define ROWS (1 << LOG_R)
#define EACH(k, q) UNROLL for (u32 k = 0; k < 1u << (q); k++)

struct place {
    struct simd_modulus m;
    GLOBAL const u32 *table;
    /* The number of the segment, and the number of its node in its level. A node is a ring of the
     * transform's tree (tables.h). */
    u32 segment, node;
    u32 first_column;
    u32 log_s;
    /* Offset of this group's first column in the data, in words. */
    u64 origin;
};

FN struct place place_of_group(GLOBAL const u32 *tables, u32 group, u32 prime, u32 log_s,
                               u32 segments, u32 first_node) {
    struct place at;
    at.table = tables + prime % PRIMES * TABLE_WORDS;
    at.m.p = at.table[TABLE_P];
    at.m.pinv = at.table[TABLE_PINV];
    at.segment = group >> (log_s - LOG_SIMD);
    at.node = first_node + at.segment;
    at.first_column = (group << LOG_SIMD) & ((1u << log_s) - 1u);
    at.log_s = log_s;
    at.origin = (((u64)prime * segments + at.segment) << (log_s + LOG_R)) + at.first_column;
    return at;
}

#define DATA(row) (*(GLOBAL simd *)(data + at.origin + ((u64)(row) << at.log_s)))

/* STAGE computes one stage of the transform: q levels, after `done` levels. The stage has 2^done
 * blocks. A block has butterflies of 2^q values each. ROW is the row of value k of butterfly i in
 * block b. */
#define ROW(k, q, done, b, i) ((b) << (LOG_R - (done)) | (k) << (LOG_R - (done) - (q)) | (i))
#define STAGE(q, done, w, step, from, to)                                                          \
    for (u32 b = 0; b < 1u << (done); b++) {                                                       \
        u32 f[1 << (q)];                                                                           \
        SIMD_FACTORS(f, q, w, at.node << (done) | b);                                              \
        for (u32 i = 0; i < 1u << (LOG_R - (done) - (q)); i++) {                                   \
            simd a[1 << (q)];                                                                      \
            EACH(k, q) a[k] = from(ROW(k, q, done, b, i));                                         \
            step(a, f, at.m);                                                                      \
            EACH(k, q) to(ROW(k, q, done, b, i)) = a[k];                                           \
        }                                                                                          \
    }

#define TILE(row) tile[row]
#if LOG_R < 9
#define LAST_DONE 4
#define FORWARD_MIDDLE
#define INVERSE_MIDDLE
#else
#define LAST_DONE 8
#define FORWARD_MIDDLE STAGE(4, 4, w, simd_forward_4, TILE, TILE)
#define INVERSE_MIDDLE STAGE(4, 4, w, simd_inverse_4, TILE, TILE)
#endif
/* LAST_Q: the number of levels of the last stage, whose blocks are the smallest. */
#if LOG_R - LAST_DONE == 1
#define LAST_Q 1
#elif LOG_R - LAST_DONE == 2
#define LAST_Q 2
#elif LOG_R - LAST_DONE == 3
#define LAST_Q 3
#elif LOG_R - LAST_DONE == 4
#define LAST_Q 4
#else
#error "LOG_R: levels of the pass, 5 to 10"
#endif
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define FORWARD_TAIL                                                                               \
    FORWARD_MIDDLE STAGE(LAST_Q, LAST_DONE, w, CAT(simd_forward_, LAST_Q), TILE, DATA)
#define INVERSE_HEAD                                                                               \
    STAGE(LAST_Q, LAST_DONE, w, CAT(simd_inverse_, LAST_Q), DATA, TILE) INVERSE_MIDDLE

/* Divides each of eight digits of 64 bits by 2^32 modulo p, and returns the results in the
 * odd-numbered words. */
FN uint16 digits_reduced(uint16 words, struct place at) {
    ulong8 x = as_ulong8(words);
    ulong8 t = (x >> 32) * (u64)at.table[TABLE_LOW] + (x & 0xffffffffUL);
    return as_uint16(simd_reduced(t, at.m));
}

/* Returns digits n to n + 15 of the number {src, words}, divided by 2^32, modulo p. If the last
 * digit has only one word, its high word is last_high. */
FN simd digits(GLOBAL const u32 *src, u64 words, u32 last_high, u64 n, struct place at) {
    simd first, second;
    if (2 * n >= words)
        return (simd)(0u);
    if (2 * (n + SIMD) <= words) {
        first = vload16(0, src + 2 * n);
        second = vload16(1, src + 2 * n);
    } else {
        u32 word[2 * SIMD];
        for (int i = 0; i < 2 * SIMD; i++)
            word[i] = 2 * n + i < words                 ? src[2 * n + i]
                      : 2 * n + i == words && words % 2 ? last_high
                                                        : 0u;
        first = vload16(0, word);
        second = vload16(1, word);
    }
    simd d = (simd)(digits_reduced(first, at).odd, digits_reduced(second, at).odd);
    return min(d, d + at.m.p);
}

/* Returns coefficients n to n + 15 of the number modulo x^M - 1 (root 0) or x^M + 1 (root 1), M =
 * 2^log_m. */
FN simd ring_digits(GLOBAL const u32 *src, u64 words, u32 last_high, u32 n, u32 log_m, u32 root,
                    struct place at) {
    simd x = digits(src, words, last_high, n, at);
    for (u64 u = 1; 2 * (n + (u << log_m)) < words; u++) {
        simd y = digits(src, words, last_high, n + (u << log_m), at);
        x = root & u ? simd_sub(x, y, at.m) : simd_add(x, y, at.m);
    }
    return x;
}

KERNEL(1)
forward_first(GLOBAL u32 *RESTRICT data1, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 log_s,
              u32 root, GLOBAL const u32 *RESTRICT src, u64 src_at, u64 words,
              GLOBAL u32 *RESTRICT data2, GLOBAL const u32 *RESTRICT src2, u64 src2_at, u64 words2,
              u64 first, u32 width, u64 columns) {
    simd tile[ROWS];
    GLOBAL u32 *data = (GROUP_Y == 0 ? data1 : data2) + data_at;
    GLOBAL const u32 *from = GROUP_Y == 0 ? src + src_at : src2 + src2_at;
    u32 last_high = 0;
    struct place at = place_of_group(tables, GROUP_X / PRIMES, GROUP_X % PRIMES, log_s, 1, root);
    if (width) {
        const u64 e = first + GROUP_Y;
        data = data1 + data_at + (e * PRIMES << (log_s + LOG_R));
        from = src + src_at + (e / width * columns + e % width) * words;
        if (from[words - 1] >> 31) /* see strided.cl */
            last_high = from[--words] + 2 * at.m.p;
    } else {
        words = GROUP_Y == 0 ? words : words2;
    }
    GLOBAL const u32 *w = at.table + TABLE_V;
    u32 f[16];
    SIMD_FACTORS(f, 4, w, at.node);
    for (u32 i = 0; i < ROWS / 16; i++) {
        simd a[16];
        EACH(k, 4)
        a[k] = ring_digits(from, words, last_high, (ROW(k, 4, 0, 0, i) << log_s) + at.first_column,
                           log_s + LOG_R, root, at);
        simd_forward_4(a, f, at.m);
        EACH(k, 4) tile[ROW(k, 4, 0, 0, i)] = a[k];
    }
    FORWARD_TAIL
}

KERNEL(1)
forward(GLOBAL u32 *data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 log_s, u32 segments,
        u32 first_node) {
    simd tile[ROWS];
    data += data_at;
    struct place at = place_of_group(tables, GROUP_X, GROUP_Y, log_s, segments, first_node);
    GLOBAL const u32 *w = at.table + TABLE_V;
    STAGE(4, 0, w, simd_forward_4, DATA, TILE)
    FORWARD_TAIL
}

KERNEL(1)
inverse(GLOBAL u32 *data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 log_s, u32 segments,
        u32 first_node) {
    simd tile[ROWS];
    data += data_at;
    struct place at = place_of_group(tables, GROUP_X, GROUP_Y, log_s, segments, first_node);
    GLOBAL const u32 *w = at.table + TABLE_V_INVERSE;
    INVERSE_HEAD
    STAGE(4, 0, w, simd_inverse_4, TILE, DATA)
}

#endif
