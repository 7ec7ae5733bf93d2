/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Distributes the numbers of batches over work-items for checks, and computes residues of the
 * numbers. */
#ifndef BATCH_SHARE_H
#define BATCH_SHARE_H

#include "kernels/batch/batch.h"
#define SPAN BATCH_SPAN
#define CARRY_THREADS BATCH_THREADS
#include "kernels/batch/batch_resolve.h"
#include "kernels/check/low_product.h"

#define CHECK_SPAN BATCH_CHECK_SPAN
#if CHECK_SPAN != LOW_SPAN || CHECK_SPAN != 2 * SPAN
#error "spans of one length"
#endif

/* The number and the part of it that a work-item checks. `items` work-items share a number, and a
 * group checks `each` numbers. The remaining work-items of a group are idle. The first groups take
 * the last numbers, because these are still in the cache. */
struct share {
    u32 item, items, is_there;
    u64 index;
};

FN struct share share_of(u64 count, u32 items, u32 each) {
    struct share s;
    u32 number = LOCAL_ID / items;
    s.item = LOCAL_ID - number * items;
    s.items = number < each ? items : 0u;
    s.index = (u64)(GROUPS_X - 1 - GROUP_X) * each + number;
    s.is_there = number < each && s.index < count;
    return s;
}

/* Loads {x, CHECK_SPAN} from {src, left}, with zeros behind the end. */
FN void load_up(u32 *x, GLOBAL const u32 *src, u32 left, u32 by_four) {
    batch_load(x, src, left, by_four);
    batch_load(x + SPAN, src + SPAN, left > SPAN ? left - SPAN : 0u, by_four);
}

/* Returns this work-item's part of a sum over all work-items of a number. The sum is the residue of
 * {x, words}, times -2^64. */
FN u64 part_of_residue(GLOBAL const u32 *x, u32 words, struct share s, GLOBAL const u64 *table) {
    u64 sum = 0, m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    for (u32 i = s.item; s.is_there && i * CHECK_SPAN < words; i += s.items) {
        u32 a[CHECK_SPAN];
        load_up(a, x + i * CHECK_SPAN, words - i * CHECK_SPAN, words % 4 == 0);
        u64 span = residue_span_down(a, m, minv);
        sum = residue_plus(sum, residue_product(span, table[RESIDUE_UP + i], m, minv), m);
    }
    return sum;
}

/* Returns, to the first work-item of a number, the sum modulo m of `part` over its work-items. */
FN u64 sum_of_parts(u64 part, struct share s, u32 items, u64 m, LOCAL u64 *sums) {
    for (u32 step = 1; step < items; step *= 2) {
        sums[LOCAL_ID] = part;
        BARRIER();
        if (s.item + step < s.items)
            part = residue_plus(part, sums[LOCAL_ID + step], m);
        BARRIER();
    }
    return part;
}

#endif
