/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division by one word d whose highest bit is set, with the reciprocal v = floor((B^2 - 1) / d) -
 * B, B = 2^32 (N. Moeller and T. Granlund, "Improved division by invariant integers", 2011). */
#ifndef DIVIDE_1_H
#define DIVIDE_1_H

#include "kernels/common/platform.h"

/* DIVIDE_1_THREADS: work-items of a group. DIVIDE_1_WORDS: the words that a work-item divides, a
 * multiple of 4. DIVIDE_1_CHUNK: the words of a group's chunk. */
#define DIVIDE_1_THREADS 128
#define DIVIDE_1_WORDS 16
#define DIVIDE_1_CHUNK (DIVIDE_1_THREADS * DIVIDE_1_WORDS)

/* Divides *rest B + low by d, where B = 2^32 and *rest < d. v belongs to d (the file's first
 * comment). Returns the quotient, and sets *rest to the remainder. The local variable q does not
 * overflow: it is (v + B) *rest + low, where v + B <= (B^2 - 1) / d and *rest <= d - 1. */
FN u32 divide_1_step(u32 *rest, u32 low, u32 d, u32 v) {
    u64 q = (u64)v * *rest + ((u64)*rest << 32 | low);
    u32 high = (u32)(q >> 32) + 1, r = low - high * d;
    if (r > (u32)q) {
        high--;
        r += d;
    }
    if (r >= d) {
        high++;
        r -= d;
    }
    *rest = r;
    return high;
}

/* Returns (a b + c) modulo d, for residues a, b and c. */
FN u32 divide_1_join(u32 a, u32 b, u32 c, u32 d, u32 v) {
    u64 product = (u64)a * b;
    u32 rest = (u32)(product >> 32);
    divide_1_step(&rest, (u32)product, d, v);
    product = (u64)rest + c;
    return (u32)(product >= d ? product - d : product);
}

#endif
