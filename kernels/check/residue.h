/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues of numbers modulo an odd m < 2^61, by which results are checked (lib/multiply/check.c).
 * Products are Montgomery's, with R = 2^64. */
#ifndef RESIDUE_KERNEL_H
#define RESIDUE_KERNEL_H

#include "kernels/common/platform.h"

#define RESIDUE_THREADS 256 /* work-items of a group; in a step each reads one vector */
#define RESIDUE_VECTOR 4

/* Indices of the table of constants, which has 64-bit entries. A constant c is stored as c 2^64 mod
 * m, unless the comment on its index gives the entry's value. */
#define RESIDUE_M 0    /* value: m */
#define RESIDUE_MINV 1 /* value: 1/m mod 2^64 */
#define RESIDUE_ONE 2  /* c = 1 */
#define RESIDUE_HIGH 3 /* c = 2^64, the factor of the upper half of a 128-bit vector */
/* c = 2^(128 RESIDUE_THREADS), the factor between a group's successive steps */
#define RESIDUE_STEP 4
#define RESIDUE_TOP 5    /* c = 2^192 */
#define RESIDUE_POWERS 8 /* entry i: the constant 2^(128 i), i < RESIDUE_THREADS */
/* The number of entries from RESIDUE_COARSE: entry i has the constant 2^(128 RESIDUE_THREADS i). */
#define RESIDUE_STEPS 32
#define RESIDUE_COARSE (RESIDUE_POWERS + RESIDUE_THREADS)
/* For batches, which are checked in spans of 16 words. With X = 2^512 modulo m, entry i from
 * RESIDUE_UP has the value 2^128 X^(i+1). Entry i from RESIDUE_DOWN has the value -X^-i. */
#define RESIDUE_SPANS 1024
#define RESIDUE_UP (RESIDUE_COARSE + RESIDUE_STEPS)
#define RESIDUE_DOWN (RESIDUE_UP + RESIDUE_SPANS)
#define RESIDUE_ENTRIES (RESIDUE_DOWN + RESIDUE_SPANS)

/* Returns a b / 2^64 modulo m, below m, for any a and for b < m. */
FN u64 residue_product(u64 a, u64 b, u64 m, u64 minv) {
    u64 high = MULHI64(a, b), h = MULHI64(a * b * minv, m);
    return high - h + (high < h ? m : 0);
}

/* A sum of products, high 2^64 + low, which is reduced modulo m later. */
struct residue_sum {
    u64 low, high;
};

FN struct residue_sum residue_sum_plus(struct residue_sum s, u64 low, u64 high) {
    s.low += low;
    s.high += high + (s.low < low);
    return s;
}

FN struct residue_sum residue_sum_add(struct residue_sum s, u64 a, u64 b) {
    return residue_sum_plus(s, a * b, MULHI64(a, b));
}

/* Returns s / 2^64 modulo m, at most s.high + m. */
FN u64 residue_reduce(struct residue_sum s, u64 m, u64 minv) {
    return s.high - MULHI64(s.low * minv, m) + m;
}

/* Returns (a b + x) / 2^64 modulo m, below 2 m if a is below 2 m and b at most m. */
FN u64 residue_horner(u64 a, u64 b, u64 x, u64 m, u64 minv) {
    struct residue_sum s = {x, 0};
    return residue_reduce(residue_sum_add(s, a, b), m, minv);
}

/* A constant factor w < m, and floor(2^64 w / m). */
struct residue_factor {
    u64 w, quotient;
};

/* Returns a * f.w modulo m, below 2 m, for any a (V. Shoup's product, as lazy_mul in
 * kernels/common/modular.h). */
FN u64 residue_times(u64 a, struct residue_factor f, u64 m) {
    return a * f.w - MULHI64(a, f.quotient) * m;
}

/* Returns r 2^(128 RESIDUE_THREADS) plus the vector x of 4 words, modulo m, but not fully reduced.
 * The result is below 2^63 if r is, since m < 2^61. */
FN u64 residue_step(u64 r, const u32 *x, u64 one, u64 high, u64 step, u64 m, u64 minv) {
    struct residue_sum s = {0, 0};
    s = residue_sum_add(s, r, step);
    s = residue_sum_add(s, x[0] | (u64)x[1] << 32, one);
    s = residue_sum_add(s, x[2] | (u64)x[3] << 32, high);
    return residue_reduce(s, m, minv);
}

/*@ requires a < m && b < m && m < 0x2000000000000000;
    assigns \nothing;
    ensures \result == (a + b < m ? a + b : a + b - m); */
FN u64 residue_plus(u64 a, u64 b, u64 m) {
    u64 sum = a + b;
    return sum < m ? sum : sum - m;
}

/* Returns x 2^(256 index) modulo m, for a span x of 8 words and index < RESIDUE_THREADS
 * RESIDUE_STEPS / 2. */
FN u64 residue_of_span(const u32 *x, u32 index, GLOBAL const u64 *table) {
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    struct residue_sum s = {0, 0};
    s = residue_sum_add(s, x[0] | (u64)x[1] << 32, table[RESIDUE_ONE]);
    s = residue_sum_add(s, x[2] | (u64)x[3] << 32, table[RESIDUE_HIGH]);
    s = residue_sum_add(s, x[4] | (u64)x[5] << 32, table[RESIDUE_POWERS + 1]);
    s = residue_sum_add(s, x[6] | (u64)x[7] << 32, table[RESIDUE_TOP]);
    u64 sum = residue_reduce(s, m, minv);
    sum = residue_product(sum, table[RESIDUE_POWERS + 2 * index % RESIDUE_THREADS], m, minv);
    return residue_product(sum, table[RESIDUE_COARSE + 2 * index / RESIDUE_THREADS], m, minv);
}

/* Returns (s - x) / 2^32 modulo m. If s is at most m + 2^30, the result is, too. */
FN u64 residue_down(u64 s, u32 x, u64 m, u64 minv) {
    u32 low = x - (u32)s, q = low * (u32)minv; /* s - x + q m is a multiple of 2^32 */
    return (u64)q * (u32)(m >> 32) + MULHI32(q, (u32)m) + (s >> 32) + (x < (u32)s);
}

/* Returns (s - x) / 2^64 modulo m, at most m. */
FN u64 residue_down_limb(u64 s, u64 x, u64 m, u64 minv) {
    return MULHI64((x - s) * minv, m) + (x < s);
}

/* Returns -X^-1 times the span x of 16 words, where X = 2^512. CPUs process limbs, because this is
 * three times as fast. */
FN u64 residue_span_down(const u32 *x, u64 m, u64 minv) {
    u64 s = 0;
    UNROLL
#if defined(ON_CPU)
    for (int i = 0; i < 16; i += 2)
        s = residue_down_limb(s, x[i] | (u64)x[i + 1] << 32, m, minv);
#else
    for (int i = 0; i < 16; i++)
        s = residue_down(s, x[i], m, minv);
#endif
    return s;
}

#endif
