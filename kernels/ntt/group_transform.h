/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Transforms the 2^LOG_M values of a ring x^M - c modulo a prime, in the registers and the local
 * memory of one work-group. Before the transform and after the inverse transform, value
 * (j << TOP) + k of a work-item is point TOP_POINT(j, k) of the ring.
 *
 * The including file defines LOG_M and LOG_V, 2 to 4. Each of THREADS work-items holds 2^LOG_V
 * values. All work-items of a group must call these functions, because the functions contain
 * barriers. */
#ifndef GROUP_TRANSFORM_H
#define GROUP_TRANSFORM_H

#include "kernels/common/radix.h"
#include "kernels/common/tables.h"

#define THREADS (1 << (LOG_M - LOG_V))
#define VALUES (1 << LOG_V)
#if LOG_M % LOG_V == 0
#define TOP LOG_V
#elif LOG_M % LOG_V == 1
#define TOP 1
#elif LOG_M % LOG_V == 2
#define TOP 2
#else
#define TOP 3
#endif
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define radix_forward_top CAT(radix_forward_, TOP)
#define radix_inverse_top CAT(radix_inverse_, TOP)
#define radix_forward_step CAT(radix_forward_, LOG_V)
#define radix_inverse_step CAT(radix_inverse_, LOG_V)

/* PADDED spreads indices so that strides of 2^LOG_V use different memory banks. */
#define PADDED(i) ((i) + ((i) >> LOG_V))
#define TRANSFORM_WORDS PADDED(1 << LOG_M)
#define EACH(k, q) UNROLL for (u32 k = 0; k < 1u << (q); k++)
#define TOP_POINT(j, k) (LOCAL_ID + (j)*THREADS + ((k) << (LOG_M - TOP)))

/* A group's prime, its ring (node `root` of the tree in tables.h: 0 is x^M - 1, 1 is x^M + 1), and
 * TRANSFORM_WORDS words of local memory. */
struct place {
    struct modulus m;
    GLOBAL const u32 *table;
    u32 root;
    LOCAL u32 *share;
};

FN struct place place_of(GLOBAL const u32 *tables, u32 prime, u32 root, LOCAL u32 *share) {
    GLOBAL const u32 *table = tables + prime * TABLE_WORDS;
    struct place at = {{table[TABLE_P], table[TABLE_PINV], table[TABLE_ZERO]}, table, root, share};
    return at;
}

/* Returns the first of the 2^q points that a work-item combines in a step of q levels. The points
 * are 2^low apart; LOG_M - low is the number of levels that are done after this step. The points
 * are set number `set` of the ring, and belong to node set >> low. */
FN u32 point_of(u32 set, u32 low, u32 q) {
    return (set >> low) << (low + q) | (set & ((1u << low) - 1u));
}

/* Returns digit n of {x, words} modulo p, 0 behind the number's end. */
FN u32 digit(GLOBAL const u32 *x, u32 words, u32 n, struct place at) {
    u32 low = 0, high = 0;
    if (2 * n + 1 < words) {
        u64 both = ((GLOBAL const u64 *)x)[n];
        low = (u32)both;
        high = (u32)(both >> 32);
    } else if (2 * n < words)
        low = x[2 * n];
    return mod_add(mod_mul(low, at.table[TABLE_LOW], at.m.p, at.m.pinv),
                   mod_mul(high, at.table[TABLE_HIGH], at.m.p, at.m.pinv), at.m.p);
}

/* Returns the node (a ring of the transform's tree, tables.h) on which this work-item works after
 * `done` levels of its group's ring. */
FN u32 node_of(u32 done, struct place at) {
    return at.root << done | LOCAL_ID >> (LOG_M - done - LOG_V);
}

FN void local_store(const u32 *a, u32 done, struct place at) {
    u32 low = LOG_M - done - LOG_V, i = point_of(LOCAL_ID, low, LOG_V);
    EACH(k, LOG_V) at.share[PADDED(i + (k << low))] = a[k];
}

FN void local_load(u32 *a, u32 done, struct place at) {
    u32 low = LOG_M - done - LOG_V, i = point_of(LOCAL_ID, low, LOG_V);
    EACH(k, LOG_V) a[k] = at.share[PADDED(i + (k << low))];
}

/* Loads the work-item's digits of {x, words}, which has at most M digits. */
FN void digits(u32 *a, GLOBAL const u32 *x, u32 words, struct place at) {
    EACH(j, LOG_V - TOP)
    EACH(k, TOP) a[(j << TOP) + k] = digit(x, words, TOP_POINT(j, k), at);
}

/* Computes the forward transform in place. */
FN void group_forward(u32 *a, struct place at) {
    GLOBAL const u32 *w = at.table + TABLE_W;
    EACH(j, LOG_V - TOP) {
        u32 *b = a + (j << TOP);
        radix_forward_top(b, w, at.root, at.m);
        EACH(k, TOP) at.share[PADDED(TOP_POINT(j, k))] = b[k];
    }
    UNROLL
    for (u32 done = TOP; done < LOG_M; done += LOG_V) {
        BARRIER();
        local_load(a, done, at);
        radix_forward_step(a, w, node_of(done, at), at.m);
        if (done + LOG_V < LOG_M)
            local_store(a, done, at);
    }
}

/* Computes the inverse transform in place and multiplies by `scale`, an entry of TABLE_SCALE. The
 * results are canonical residues. */
FN void group_inverse(u32 *a, u32 scale, struct place at) {
    GLOBAL const u32 *wi = at.table + TABLE_W_INVERSE;
    UNROLL
    for (u32 done = LOG_M - LOG_V; done + LOG_V > TOP; done -= LOG_V) {
        if (done + LOG_V < LOG_M) {
            BARRIER();
            local_load(a, done, at);
        }
        radix_inverse_step(a, wi, node_of(done, at), at.m);
        local_store(a, done, at);
    }
    BARRIER();
    EACH(j, LOG_V - TOP) {
        u32 *b = a + (j << TOP);
        EACH(k, TOP) b[k] = at.share[PADDED(TOP_POINT(j, k))];
        radix_inverse_top(b, wi, at.root, at.m);
        EACH(k, TOP) b[k] = mod_mul(b[k], scale, at.m.p, at.m.pinv);
    }
}

#endif
