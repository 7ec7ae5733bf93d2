/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Resolves carries by a scan (Oancea and Watt 2024, arXiv:2405.14642, section 2).
 *
 * Each work-item has a span: SPAN words of a sum x + y, computed without the incoming carry. The
 * span's flag states whether the span generates a carry or would propagate one. A work-group
 * resolves the carries between its spans, and writes one flag for the group. In another launch each
 * group finds its incoming carry from the flags of the groups below, and increments its words
 * (kernels/sums/carry.cl). */
#ifndef CARRY_H
#define CARRY_H

#include "kernels/common/platform.h"

#ifndef SPAN
#define SPAN 8 /* words of a span, a multiple of 4 */
#endif
#ifndef CARRY_THREADS
#define CARRY_THREADS 256 /* work-items of a group, a multiple of 32 */
#endif

/* A group computes a chunk of a sum; CARRY_CHUNK is the number of words in a chunk. Each
 * work-item computes a span of SPAN words.
 *
 * Some kernels use the shorter CARRY_CHUNK_ABOVE (crt.cl, ssa_sum.cl). In these, the group's
 * first work-item has the span below the chunk: it stores nothing, but computes what its span
 * adds to the next span. */
#define CARRY_CHUNK (SPAN * CARRY_THREADS)
#define CARRY_CHUNK_ABOVE (SPAN * (CARRY_THREADS - 1))

/* A sum modulo B^n - 1 or B^n + 1 has at most this number of words above B^n, before
 * kernels/sums/carry.cl reduces it. */
#define CARRY_SURPLUS 4

#define CARRY_GENERATE 1u /* a span or chunk has at most one of these two flags */
#define CARRY_PROPAGATE 2u

/* Computes x += y + carry over SPAN words. Returns the flag: CARRY_GENERATE after an overflow,
 * otherwise CARRY_PROPAGATE if all words are ones. */
/*@ requires \valid(x + (0 .. SPAN - 1)) && \valid_read(y + (0 .. SPAN - 1));
    requires \separated(x + (0 .. SPAN - 1), y + (0 .. SPAN - 1)) && carry <= 1;
    assigns x[0 .. SPAN - 1];
    ensures \result == 0 || \result == CARRY_GENERATE || \result == CARRY_PROPAGATE; */
FN u32 span_add_carry(u32 *x, const u32 *y, u32 carry) {
    u32 ones = ~0u;
    UNROLL
    /*@ loop invariant 0 <= i <= SPAN && carry <= 1;
        loop assigns i, carry, ones, x[0 .. SPAN - 1];
        loop variant SPAN - i; */
    for (int i = 0; i < SPAN; i++) {
        u64 t = (u64)x[i] + y[i] + carry;
        x[i] = (u32)t;
        carry = (u32)(t >> 32);
        ones &= x[i];
    }
    return carry ? CARRY_GENERATE : ones == ~0u ? CARRY_PROPAGATE : 0u;
}

/*@ requires \valid(x + (0 .. SPAN - 1)) && \valid_read(y + (0 .. SPAN - 1));
    requires \separated(x + (0 .. SPAN - 1), y + (0 .. SPAN - 1));
    assigns x[0 .. SPAN - 1];
    ensures \result == 0 || \result == CARRY_GENERATE || \result == CARRY_PROPAGATE; */
FN u32 span_add(u32 *x, const u32 *y) {
    return span_add_carry(x, y, 0);
}

/* Computes x += carry (0 or 1) over SPAN words. Returns no carry out of the span, because the
 * span's flag has already been used to compute it. */
/*@ requires \valid(x + (0 .. SPAN - 1)) && carry <= 1;
    assigns x[0 .. SPAN - 1]; */
FN void span_increment(u32 *x, u32 carry) {
    UNROLL
    /*@ loop invariant 0 <= i <= SPAN && carry <= 1;
        loop assigns i, carry, x[0 .. SPAN - 1];
        loop variant SPAN - i; */
    for (int i = 0; i < SPAN; i++) {
        x[i] += carry;
        carry &= (u32)(x[i] == 0);
    }
}

/* Returns the carry out of a row of 32 work-items, each with a span (SPAN words). Bit k of g is set
 * if span k generates a carry; bit k of p is set if span k propagates one. `carry` is the carry
 * into the row. The carries out of the spans are the carries of the sum (g | p) + g + carry. */
/*@ requires carry <= 1;
    assigns \nothing;
    ensures \result <= 1; */
FN u32 mask_carry_out(u32 g, u32 p, u32 carry) {
    return (u32)(((u64)(g | p) + g + carry) >> 32);
}

/* Returns the carry into the words of work-item `bit` of a row. The other arguments are those of
 * mask_carry_out. */
/*@ requires carry <= 1 && bit < 32;
    assigns \nothing;
    ensures \result <= 1; */
FN u32 mask_carry_in(u32 g, u32 p, u32 carry, u32 bit) {
    return (((g | p) + g + carry) ^ p) >> bit & 1u;
}

#if defined(LOCAL_ID)
/* Loads {x, SPAN} from {src, words}; words behind the end are `beyond`. If `aligned`, src is
 * aligned to 4 words. */
FN void span_load(u32 *x, GLOBAL const u32 *src, u64 words, int aligned, u32 beyond) {
    if (aligned && words >= SPAN) {
        UNROLL
        for (int i = 0; i < SPAN; i += 4)
            LOAD4(GLOBAL, x + i, src + i);
    } else {
        UNROLL
        for (int i = 0; i < SPAN; i++)
            x[i] = (u32)i < words ? src[i] : beyond;
    }
}

/* Stores {x, SPAN} to {r, words}, at most `words` words; r is aligned to 4 words. */
FN void span_store(GLOBAL u32 *r, u64 words, const u32 *x) {
    if (words >= SPAN) {
        UNROLL
        for (int i = 0; i < SPAN; i += 4)
            STORE4(r + i, x + i);
    } else {
        UNROLL
        for (int i = 0; i < SPAN; i++)
            if ((u32)i < words)
                r[i] = x[i];
    }
}

#define CARRY_ROWS (CARRY_THREADS / 32)

/* Collects the flags of a group's work-items in rows of 32. rows[2 k] gets the CARRY_GENERATE bits
 * of row k, rows[2 k + 1] the CARRY_PROPAGATE bits. flags[CARRY_THREADS] is scratch. */
FN void carry_rows(u32 flag, LOCAL u32 *flags, LOCAL u32 *rows) {
    u32 id = LOCAL_ID;
    flags[id] = flag;
    BARRIER();
    if (id < CARRY_ROWS) {
        u32 g = 0, p = 0;
        for (u32 k = 0; k < 32; k++) {
            u32 f = flags[32 * id + k];
            g |= (f & 1u) << k;
            p |= (f >> 1) << k;
        }
        rows[2 * id] = g;
        rows[2 * id + 1] = p;
    }
    BARRIER();
}

/* Returns the carry into this work-item's span. `carry` is the carry into the group. Sets *group
 * to the flag of the group as a whole: CARRY_GENERATE if a carry leaves the group. Otherwise it
 * is CARRY_PROPAGATE if all spans of work-items >= `first` propagate a carry. */
FN u32 carry_in_group(LOCAL const u32 *rows, u32 first, u32 carry, u32 *group) {
    u32 in = 0, through = 1, id = LOCAL_ID;
    for (u32 r = 0; r < CARRY_ROWS; r++) {
        u32 g = rows[2 * r], p = rows[2 * r + 1];
        if (r == id / 32)
            in = mask_carry_in(g, p, carry, id % 32);
        carry = mask_carry_out(g, p, carry);
        through &= mask_carry_out(0, r == 0 ? p | ((1u << first) - 1u) : p, 1);
    }
    *group = carry | (through && !carry ? CARRY_PROPAGATE : 0u);
    return in;
}

/* Returns the carry into this work-item's span, if there is no carry into the group. Sets *group to
 * the flag of the group's spans from work-item `first` upwards. Work-items below `first` must pass
 * flag 0. flags[CARRY_THREADS] and rows[2 * CARRY_ROWS] are scratch. */
FN u32 group_carry(u32 flag, u32 first, LOCAL u32 *flags, LOCAL u32 *rows, u32 *group) {
    carry_rows(flag, flags, rows);
    return carry_in_group(rows, first, 0, group);
}

/* Ends a sum: resolves the carries inside the group, writes the group's flag, and stores x to {r,
 * words}. x and flag are this work-item's span and its flag from span_add. r must be aligned to 4
 * words. Work-items below `first` store nothing. */
FN void span_finish(GLOBAL u32 *r, u64 words, u32 *x, u32 flag, u32 first, LOCAL u32 *flags,
                    LOCAL u32 *rows, GLOBAL u32 *group_flags) {
    u32 group;
    span_increment(x, group_carry(LOCAL_ID < first ? 0u : flag, first, flags, rows, &group));
    if (LOCAL_ID == 0)
        group_flags[GROUP_X] = group;
    if (LOCAL_ID >= first)
        span_store(r, words, x);
}
#endif

#endif
