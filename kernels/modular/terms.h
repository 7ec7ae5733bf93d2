/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sums of multiples of long numbers, for all numbers of a batch: the place of a work-item, a term
 * of a sum, and the local memory for carries. Include batch_resolve.h first, with spans of SPAN =
 * BATCH_SPAN words. */
#ifndef TERMS_H
#define TERMS_H

#include "kernels/batch/batch.h"

/* The number that a work-item computes: a group has several adjacent numbers, or one number in
 * `tiles` tiles. */
struct place {
    u32 number, is_there, spans, tiles;
    u64 index;
};

FN struct place place_of(u64 count, u32 spans, u32 each, u32 tiles) {
    struct place p = {tiles > 1 ? 0 : LOCAL_ID / spans, 0, spans, tiles, 0};
    p.index = (u64)GROUP_X * each + p.number;
    p.is_there = p.number < each && p.index < count;
    return p;
}

/* A term of a sum: `times` times a number. x points to the number's words `from` to `to`; its other
 * words are zeros. flip is ~0 if the term is subtracted, otherwise 0. */
struct term {
    GLOBAL const u32 *x;
    u32 from, to, times, flip;
};

/* Adds the term's words from word `at` to {sum, SPAN}. Returns the carry. Words are loaded only if
 * is_there. */
FN u32 add_term(u32 *sum, struct term t, u32 at, u32 is_there) {
    u32 x[SPAN];
    const u32 is_inside = is_there && t.times && at >= t.from && at < t.to;
    u64 carry = 0;
    batch_load(x, t.x + (is_inside ? at - t.from : 0u), is_inside ? SPAN : 0u, 1);
    UNROLL
    for (int i = 0; i < SPAN; i++) {
        carry += sum[i];
        carry += (u64)t.times * (x[i] ^ t.flip);
        sum[i] = (u32)carry;
        carry >>= 32;
    }
    return (u32)carry;
}

/* Local memory of a group: the part of each number's sum above its words, and memory to resolve
 * carries. */
struct memory {
    LOCAL u32 *above;
    struct resolve s;
};

#define MEMORY(name)                                                                               \
    LOCAL_ARRAY(u32, over, BATCH_THREADS + 1);                                                     \
    LOCAL_ARRAY(u32, flags, BATCH_THREADS);                                                        \
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);                                                        \
    LOCAL_ARRAY(u32, excess, BATCH_THREADS);                                                       \
    const struct memory name = {excess, {over, flags, rows}}

#endif
