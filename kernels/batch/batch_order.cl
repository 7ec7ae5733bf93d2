/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares numbers of batches, and selects between them; checks the results of both operations. */
#include "kernels/batch/batch.h"

#define SPAN BATCH_SPAN
#define CARRY_THREADS BATCH_THREADS
#include "kernels/batch/batch_resolve.h"
#include "kernels/check/verdict.h"

#define LESS (~(u64)0)

/* The number and the part of it that a work-item processes. `items` work-items share a number, and
 * a group processes `each` numbers. The remaining work-items of a group are idle. */
struct place {
    u32 item, is_there;
    u64 index;
};

FN struct place place_of(u64 count, u32 items, u32 each) {
    struct place p;
    u32 number = LOCAL_ID / items;
    p.item = LOCAL_ID - number * items;
    p.index = (u64)GROUP_X * each + number;
    p.is_there = number < each && p.index < count;
    return p;
}

/* ---- comparison */

/* Compares {u + at, left} and {v + at, left}, at most SPAN words. Returns 0 if they are equal.
 * Otherwise returns 2 (i + 1) for the highest differing word i, plus 1 if u's word is greater. */
FN u32 span_order(GLOBAL const u32 *u, GLOBAL const u32 *v, u64 at, u32 left, u32 by_four) {
    u32 x[SPAN], y[SPAN], order = 0;
    batch_load(x, u + at, left, by_four);
    batch_load(y, v + at, left, by_four);
    UNROLL
    for (u32 i = 0; i < SPAN; i++)
        order = x[i] != y[i] ? 2 * (i + 1) + (u32)(x[i] > y[i]) : order;
    return order;
}

/* Compares number i of u with number i of v: sets r[i] to 0 if they are equal, to 1 if the number
 * of u is greater, otherwise to LESS. Each work-item searches its words from the top for a
 * difference; the highest difference decides. */
KERNEL(BATCH_THREADS)
batch_compare(GLOBAL u64 *r, GLOBAL const u32 *u, GLOBAL const u32 *v, u64 count, u32 words,
              u32 spans, u32 items, u32 each) {
    LOCAL_ARRAY(u32, orders, BATCH_THREADS);
    struct place p = place_of(count, items, each);
    u32 order = 0;
    for (u32 i = p.item; p.is_there && i < spans && order == 0; i += items) {
        u32 at = (spans - 1 - i) * SPAN;
        order = span_order(u, v, p.index * words + at, words - at, words % 4 == 0);
        order = order ? order + 2 * at : 0u;
    }
    orders[LOCAL_ID] = order;
    BARRIER();
    if (p.is_there && p.item == 0) {
        for (u32 i = 1; i < items; i++)
            order = orders[LOCAL_ID + i] > order ? orders[LOCAL_ID + i] : order;
        r[p.index] = order == 0 ? 0u : order & 1u ? (u64)1 : LESS;
    }
}

/* Subtracts {v, left} from {u, left}, at most SPAN words. Returns 2 if the difference is negative,
 * 0 if it is 0, otherwise 1. */
FN u32 span_sign(GLOBAL const u32 *u, GLOBAL const u32 *v, u32 left, u32 by_four) {
    u32 x[SPAN], y[SPAN], borrow = 0, any = 0;
    batch_load(x, u, left, by_four);
    batch_load(y, v, left, by_four);
    UNROLL
    for (int i = 0; i < SPAN; i++) {
        u64 d = (u64)x[i] - y[i] - borrow;
        any |= (u32)d;
        borrow = (u32)(d >> 32) & 1u;
    }
    return borrow ? 2u : any ? 1u : 0u;
}

/* Checks batch_compare. Each work-item subtracts SPAN words of v from those of u, as numbers. The
 * sign of the highest of these differences that is not 0 must agree with r. */
KERNEL(BATCH_THREADS)
batch_check_compare(GLOBAL u32 *verdict, u32 pass, GLOBAL const u64 *r, GLOBAL const u32 *u,
                    GLOBAL const u32 *v, u64 count, u32 words, u32 spans, u32 items, u32 each) {
    LOCAL_ARRAY(u32, signs, BATCH_THREADS);
    LOCAL_ARRAY(u32, places, BATCH_THREADS);
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    struct place p = place_of(count, items, each);
    u32 sign = 0, where = 0, bad = 0;
    for (u32 i = p.item; p.is_there && i < spans; i += items) {
        u64 at = p.index * words + i * SPAN;
        u32 here = span_sign(u + at, v + at, words - i * SPAN, words % 4 == 0);
        where = here ? i : where;
        sign = here ? here : sign;
    }
    signs[LOCAL_ID] = sign;
    places[LOCAL_ID] = where;
    BARRIER();
    if (p.is_there && p.item == 0) {
        for (u32 i = LOCAL_ID + 1; i < LOCAL_ID + items; i++)
            if (signs[i] && (sign == 0 || places[i] > where)) {
                sign = signs[i];
                where = places[i];
            }
        u64 right = sign == 2 ? LESS : (u64)sign;
        bad = r[p.index] != right;
    }
    verdict_add(verdict, pass, bad, votes);
}

/* ---- selection */

/* Copies number i of u to number i of r if c[i] is not 0, otherwise number i of v. r is neither u
 * nor v. */
KERNEL(BATCH_THREADS)
batch_select(GLOBAL u32 *r, GLOBAL const u64 *c, GLOBAL const u32 *u, GLOBAL const u32 *v,
             u64 count, u32 words, u32 spans, u32 items, u32 each) {
    struct place p = place_of(count, items, each);
    if (p.is_there) {
        GLOBAL const u32 *from = c[p.index] ? u : v;
        for (u32 i = p.item; i < spans; i += items) {
            u64 at = p.index * words + i * SPAN;
            u32 x[SPAN];
            batch_load(x, from + at, words - i * SPAN, words % 4 == 0);
            batch_store(r + at, words - i * SPAN, words % 4 == 0, x);
        }
    }
}

/* Checks batch_select: the words of number i of r must equal those of u if c[i] is not 0, otherwise
 * those of v. */
KERNEL(BATCH_THREADS)
batch_check_select(GLOBAL u32 *verdict, u32 pass, GLOBAL const u32 *r, GLOBAL const u64 *c,
                   GLOBAL const u32 *u, GLOBAL const u32 *v, u64 count, u32 words, u32 spans,
                   u32 items, u32 each) {
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    struct place p = place_of(count, items, each);
    u32 bad = 0;
    if (p.is_there) {
        GLOBAL const u32 *from = c[p.index] ? u : v;
        for (u32 i = p.item; i < spans; i += items) {
            u64 at = p.index * words + i * SPAN;
            bad |= span_order(r, from, at, words - i * SPAN, words % 4 == 0);
        }
    }
    verdict_add(verdict, pass, bad, votes);
}
