/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Resolves carries in many numbers at once (Oancea and Watt 2024, arXiv:2405.14642, section 2).
 * Each work-item of a group has SPAN words; the work-items of one number are adjacent. */
#ifndef BATCH_RESOLVE_H
#define BATCH_RESOLVE_H

#include "kernels/common/carry.h"

/* Local memory of a group for the function resolve(). */
struct resolve {
    /* CARRY_THREADS + 1 words: word i + 1 is the excess of work-item i's span, the part of its sum
     * above SPAN words */
    LOCAL u32 *over;
    LOCAL u32 *flags; /* CARRY_THREADS */
    LOCAL u32 *rows;  /* 2 CARRY_ROWS */
};

/* Collects the carry flags of the group's work-items in s.rows: for each row of 32 work-items, one
 * mask of the CARRY_GENERATE bits and one of the CARRY_PROPAGATE bits. */
FN void resolve_rows(u32 flag, struct resolve s) {
#if defined(BALLOT)
    u32 g = BALLOT(flag & CARRY_GENERATE), p = BALLOT(flag & CARRY_PROPAGATE);
    if (LOCAL_ID % 32 == 0) {
        s.rows[LOCAL_ID / 16] = g;
        s.rows[LOCAL_ID / 16 + 1] = p;
    }
    BARRIER();
#else
    carry_rows(flag, s.flags, s.rows);
#endif
}

/* Adds `below` to {x, SPAN}. `below` is the part of the lower span's sum above its SPAN words.
 * Returns the flag: CARRY_GENERATE if the addition overflows; CARRY_PROPAGATE if all words are ones
 * and this is not the first span of a number. */
FN u32 resolve_span(u32 *x, u32 below, int is_first) {
    u32 ones = ~0u;
    u64 t = below;
    UNROLL
    for (int i = 0; i < SPAN; i++) {
        t += x[i];
        x[i] = (u32)t;
        t >>= 32;
        ones &= x[i];
    }
    return (u32)t | (ones == ~0u && !is_first ? CARRY_PROPAGATE : 0u);
}

/* Resolves the carries between the spans {x, SPAN} of a group, whose numbers are adjacent.
 * - over: this work-item's excess, the part of its sum above SPAN words; it is added to the next
 *   span of the number
 * - is_first: the span begins a number; `begin` is then added to the span
 * - *carry: if the group's first span does not begin a number, *carry and s.over[0] are added to
 *   that span. Afterwards *carry is the carry out of the group.
 *
 * Returns the final excess, below 2^32.
 *
 * A span never has both flags, CARRY_GENERATE and CARRY_PROPAGATE. If adding an excess of one word
 * overflows, all words above the lowest become zeros, so they are not all ones. */
FN u32 resolve(u32 *x, u32 over, int is_first, u32 begin, u32 *carry, struct resolve s) {
    u32 in, group;
    s.over[LOCAL_ID + 1] = over;
    BARRIER();
    u32 flag = resolve_span(x, is_first ? begin : s.over[LOCAL_ID], is_first);
    resolve_rows(flag, s);
    in = carry_in_group(s.rows, 0, *carry, &group);
    in = is_first ? 0u : in;
    *carry = group & CARRY_GENERATE;
    span_increment(x, in);
    return over + (flag & CARRY_GENERATE) + (flag / CARRY_PROPAGATE & in);
}

/* Returns term k of the sum: number k of the arguments a to h of batch_sum or batch_check_sum. */
#define BATCH_TERM(k)                                                                              \
    ((k) == 0   ? a                                                                                \
     : (k) == 1 ? b                                                                                \
     : (k) == 2 ? c                                                                                \
     : (k) == 3 ? d                                                                                \
     : (k) == 4 ? e                                                                                \
     : (k) == 5 ? f                                                                                \
     : (k) == 6 ? g                                                                                \
                : h)

/* Loads {x, SPAN} from {src, left}, with zeros behind the end. src is aligned to four words if
 * by_four, otherwise to two. */
FN void batch_load(u32 *x, GLOBAL const u32 *src, u32 left, u32 by_four) {
    if (by_four && left >= SPAN) {
        UNROLL
        for (int i = 0; i < SPAN; i += 4)
            LOAD4(GLOBAL, x + i, src + i);
    } else {
        UNROLL
        for (u32 i = 0; i < SPAN; i += 2) {
            x[i] = x[i + 1] = 0;
            if (i < left)
                LOAD2(GLOBAL, x[i], x[i + 1], src + i);
        }
    }
}

/* Stores {x, SPAN} to {r, left}, at most `left` words. r is aligned to four words if by_four,
 * otherwise to two. */
FN void batch_store(GLOBAL u32 *r, u32 left, u32 by_four, const u32 *x) {
    if (by_four && left >= SPAN) {
        UNROLL
        for (int i = 0; i < SPAN; i += 4)
            STORE4(r + i, x + i);
    } else {
        UNROLL
        for (u32 i = 0; i < SPAN; i += 2)
            if (i < left)
                r[i] = x[i], r[i + 1] = x[i + 1];
    }
}

#endif
