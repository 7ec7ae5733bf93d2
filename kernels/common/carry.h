/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Carries by a scan (Oancea and Watt 2024, arXiv:2405.14642, section 2).  Each work-item holds SPAN
 * words of a sum x + y, computed without the incoming carry.  Its flag states whether it generates
 * a carry or would propagate one.  A work-group resolves its own carries.  Between groups there is
 * one flag word a group: each group finds its incoming carry from the flags below and increments
 * its words (carry.cl). */
#ifndef CARRY_H
#define CARRY_H

#include "kernels/common/platform.h"

#ifndef SPAN
#define SPAN 8 /* words a work-item, a multiple of 4 */
#endif
#ifndef CARRY_THREADS
#define CARRY_THREADS 256 /* work-items a group, a multiple of 32 */
#endif

/* Words of a group: if each work-item writes its span, and if the first work-item only computes the
 * carry from below (crt.cl, ssa_sum.cl). */
#define CARRY_CHUNK (SPAN * CARRY_THREADS)
#define CARRY_CHUNK_ABOVE (SPAN * (CARRY_THREADS - 1))

/* Words of a sum in a ring above B^n, which are reduced with its carries. */
#define CARRY_SURPLUS 4

#define CARRY_GENERATE 1u /* flag bits; never both at once */
#define CARRY_PROPAGATE 2u

/* x += y + carry over SPAN words.  Returns the flag: generate if there is a carry out, otherwise
 * propagate if all words are ones. */
FN u32 span_add_carry(u32 *x, const u32 *y, u32 carry) {
    u32 ones = ~0u;
    UNROLL
    for (int i = 0; i < SPAN; i++) {
        u64 t = (u64)x[i] + y[i] + carry;
        x[i] = (u32)t;
        carry = (u32)(t >> 32);
        ones &= x[i];
    }
    return carry ? CARRY_GENERATE : ones == ~0u ? CARRY_PROPAGATE : 0u;
}

FN u32 span_add(u32 *x, const u32 *y) {
    return span_add_carry(x, y, 0);
}

/* x += carry (0 or 1) over SPAN words; what leaves is in the flags already. */
FN void span_increment(u32 *x, u32 carry) {
    UNROLL
    for (int i = 0; i < SPAN; i++) {
        x[i] += carry;
        carry &= (u32)(x[i] == 0);
    }
}

/* Returns the carry out of a row of 32 flags with the incoming `carry`: with bit vectors g and p,
 * the carries equal the carries of the sum (g | p) + g + carry. */
FN u32 mask_carry_out(u32 g, u32 p, u32 carry) {
    return (u32)(((u64)(g | p) + g + carry) >> 32);
}

/* Returns the carry into position `bit` of such a row. */
FN u32 mask_carry_in(u32 g, u32 p, u32 carry, u32 bit) {
    return (((g | p) + g + carry) ^ p) >> bit & 1u;
}

#if defined(LOCAL_ID)
/* {x, SPAN} from {src, words}, `beyond` behind its end; `aligned` if src is to 4 words. */
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

/* The flags of a group's work-items as rows of 32, {generate, propagate} each.
 * flags[CARRY_THREADS] is local scratch. */
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

/* Returns the carry into this work-item's span if `carry` is the carry into the group.  Sets *group
 * to the flag of the whole group (for carry 0) from work-item `first` on. */
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

/* Returns the carry into this work-item's span, for a group of CARRY_THREADS work-items with their
 * flags and no carry into the group.  *group is the flag of the whole group, from work-item `first`
 * on; work-items below it must pass flag 0.  flags[CARRY_THREADS] and rows[2 * CARRY_ROWS] are
 * local scratch. */
FN u32 group_carry(u32 flag, u32 first, LOCAL u32 *flags, LOCAL u32 *rows, u32 *group) {
    carry_rows(flag, flags, rows);
    return carry_in_group(rows, first, 0, group);
}

/* Ends a sum in spans, with x and flag from span_add.  Resolves the carries inside the group,
 * writes the group's flag for carries between groups, and stores x to {r, words}, at most `words`
 * words; r is aligned to 4.  Work-items below `first` only contribute to the spans above. */
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
