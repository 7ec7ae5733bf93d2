/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Adds up to BATCH_TERMS batches, number by number, in one launch. */
#include "kernels/batch/batch.h"

#define SPAN BATCH_SPAN
#define CARRY_THREADS BATCH_THREADS
#include "kernels/batch/batch_resolve.h"

/* Sets number i of r to the sum of number i of each of the `terms` batches a, b, .... If bit k of
 * `negated` is set, term k is subtracted. If `wanted`, sets carries[i] to the limb above the sum as
 * a signed number, negated if `borrows`. A number has `spans` spans: parts of SPAN words, one for
 * each work-item. If `tiles` is 1, a group computes `each` numbers. Otherwise a group computes one
 * number, and in each round one part of it (a tile). r may be a term. */
KERNEL_DENSE(BATCH_THREADS, 6)
batch_sum(GLOBAL u32 *r, GLOBAL u64 *carries, u32 wanted, u32 borrows, u64 count, u32 words,
          u32 spans, u32 each, u32 tiles, u32 terms, u32 negated, GLOBAL const u32 *a,
          GLOBAL const u32 *b, GLOBAL const u32 *c, GLOBAL const u32 *d, GLOBAL const u32 *e,
          GLOBAL const u32 *f, GLOBAL const u32 *g, GLOBAL const u32 *h) {
    LOCAL_ARRAY(u32, over, BATCH_THREADS + 1);
    LOCAL_ARRAY(u32, flags, BATCH_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    struct resolve s = {over, flags, rows};
    u32 id = LOCAL_ID, number = tiles > 1 ? 0 : id / spans, carry = 0;
    u64 index = (u64)GROUP_X * each + number;
    u32 negatives = 0, last_mask = 0;
    for (u32 k = 0; k < terms; k++)
        negatives += negated >> k & 1u;
    for (u32 tile = 0; tile < tiles; tile++) {
        u32 span = tiles > 1 ? tile * BATCH_THREADS + id : id - number * spans;
        u32 is_there = number < each && index < count && span < spans;
        u32 left = is_there ? words - span * SPAN : 0u, reaches = 0;
        u64 at = index * words + span * SPAN;
        u32 x[SPAN], y[SPAN];
        GLOBAL const u32 *last = 0;
        UNROLL
        for (int i = 0; i < SPAN; i++)
            x[i] = y[i] = 0;
        for (u32 k = 0; k < terms; k++) {
            GLOBAL const u32 *p = BATCH_TERM(k);
            u32 mask = 0u - (negated >> k & 1u);
            if (p != last ||
                mask != last_mask) { /* skips the load if the term is the same as before */
                batch_load(y, p + at, left, words % 4 == 0);
                UNROLL
                for (int i = 0; i < SPAN; i++)
                    y[i] ^= mask;
            }
            last = p;
            last_mask = mask;
            reaches += span_add(x, y) & CARRY_GENERATE;
        }
        u32 top = resolve(x, reaches, span == 0, negatives, &carry, s) - negatives;
        batch_store(r + at, left, words % 4 == 0, x);
        if (wanted && is_there && span == spans - 1) {
            u32 high = left == SPAN ? top : 0u;
            UNROLL
            for (int i = 2; i < SPAN; i += 2)
                high = (u32)i == left ? x[i] : high;
            carries[index] = (u64)(borrows ? -(s64)(s32)high : (s64)(s32)high);
        }
        if (id == 0)
            /* Keeps the excess and carry of the words summed so far. They are added to the next
             * tile, the words that the group sums in the next round. */
            over[0] = over[BATCH_THREADS];
        BARRIER();
    }
}

/* Copies number i of u to number i of r, truncated or extended with zeros from `words` to
 * result_words words. */
KERNEL(BATCH_THREADS)
batch_resize(GLOBAL u32 *r, GLOBAL const u32 *u, u64 count, u32 words, u32 result_words) {
    for (u32 k = 0; k < SPAN; k++) {
        u64 at = ((u64)GROUP_X * SPAN + k) * BATCH_THREADS + LOCAL_ID, number = at / result_words;
        u32 word = (u32)(at - number * result_words);
        if (number < count)
            r[at] = word < words ? u[number * words + word] : 0u;
    }
}
