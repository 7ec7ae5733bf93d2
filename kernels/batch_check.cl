/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of batches: residues of each number, compared on the device. */
#include "batch.h"

#define SPAN BATCH_SPAN
#define CARRY_THREADS BATCH_THREADS
#include "batch_settle.h"
#include "residue.h"

/* Who does what: `items` work-items to a number, `each` numbers to a group. */
struct share {
    u32 number, item, items, is_there;
    u64 index;
};

FN struct share share_of(u64 count, u32 items, u32 each) {
    struct share s;
    s.items = items;
    s.number = LOCAL_ID / items;
    s.item = LOCAL_ID - s.number * items;
    s.index = (u64)GROUP_X * each + s.number;
    s.is_there = s.number < each && s.index < count;
    return s;
}

/* This work-item's part of the residue of {x, words}. */
FN u64 part_of_residue(GLOBAL const u32 *x, u32 words, struct share s, GLOBAL const u64 *table) {
    u64 sum = 0, m = table[RESIDUE_M];
    for (u32 at = s.item * SPAN; s.is_there && at < words; at += s.items * SPAN) {
        u32 a[SPAN];
        batch_load(a, x + at, words - at, words % 4 == 0);
        sum = residue_plus(sum, residue_of_span(a, at / SPAN, table), m);
    }
    return sum;
}

/* The sum of a number's parts, for the first of its work-items.  Those left over at a group's end
 * have no number, nor others beside them. */
FN u64 sum_of_parts(u64 part, struct share s, u64 m, LOCAL u64 *sums) {
    sums[LOCAL_ID] = part;
    BARRIER();
    for (u32 step = 1; step < s.items; step *= 2) {
        if (s.is_there && s.item % (2 * step) == 0 && s.item + step < s.items)
            sums[LOCAL_ID] = residue_plus(sums[LOCAL_ID], sums[LOCAL_ID + step], m);
        BARRIER();
    }
    u64 sum = sums[LOCAL_ID];
    BARRIER();
    return sum;
}

/* a b modulo m for any a, b < m. */
FN u64 times(u64 a, u64 b, GLOBAL const u64 *table) {
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    return residue_product(residue_product(a, b, m, minv), table[RESIDUE_HIGH], m, minv);
}

/* Adds to *wrong the numbers i < count for which number i of u times that of v is not the `words`
 * words from low_at + i low_stride of `low` and above these as many from i 2 words + words of full.
 * power is 2^(32 words) modulo m. */
KERNEL(BATCH_THREADS)
batch_check_product(GLOBAL u32 *wrong, GLOBAL const u32 *low, u64 low_at, u32 low_stride,
                    GLOBAL const u32 *full, GLOBAL const u32 *u, u64 u_at, GLOBAL const u32 *v,
                    u64 v_at, u64 power, u64 count, u32 words, u32 items, u32 each,
                    GLOBAL const u32 *table_words, u64 table_at) {
    LOCAL_ARRAY(u64, sums, BATCH_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    u64 m = table[RESIDUE_M];
    struct share s = share_of(count, items, each);
    u64 i = s.index, at = i * words;
    u64 of_u = sum_of_parts(part_of_residue(u + u_at + at, words, s, table), s, m, sums);
    u64 of_v = sum_of_parts(part_of_residue(v + v_at + at, words, s, table), s, m, sums);
    u64 of_high = sum_of_parts(part_of_residue(full + 2 * at + words, words, s, table), s, m, sums);
    u64 of_low =
        sum_of_parts(part_of_residue(low + low_at + i * low_stride, words, s, table), s, m, sums);
    u64 product = residue_plus(of_low, times(of_high, power, table), m);
    if (s.is_there && s.item == 0 && times(of_u, of_v, table) != product)
        ATOMIC_INCREMENT(wrong);
}

/* Adds to *wrong those of r and carries that batch_sum would not have made; `power` is
 * 2^(32 words) modulo m. */
KERNEL(BATCH_THREADS)
batch_check_sum(GLOBAL u32 *wrong, GLOBAL const u32 *r, GLOBAL const u64 *carries, u32 borrows,
                u64 power, u64 count, u32 words, u32 items, u32 each, GLOBAL const u32 *table_words,
                u64 table_at, u32 terms, u32 negated, GLOBAL const u32 *a, GLOBAL const u32 *b,
                GLOBAL const u32 *c, GLOBAL const u32 *d, GLOBAL const u32 *e, GLOBAL const u32 *f,
                GLOBAL const u32 *g, GLOBAL const u32 *h) {
    LOCAL_ARRAY(u64, sums, BATCH_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    u64 m = table[RESIDUE_M];
    struct share s = share_of(count, items, each);
    u64 at = s.index * words, sum = m - part_of_residue(r + at, words, s, table), last_part = 0;
    GLOBAL const u32 *last = 0;
    for (u32 k = 0; k < terms; k++) {
        GLOBAL const u32 *p = BATCH_TERM(k);
        u64 part = p == last ? last_part : part_of_residue(p + at, words, s, table);
        last = p;
        last_part = part;
        sum = residue_plus(sum, negated >> k & 1u ? m - part : part, m);
    }
    sum = sum_of_parts(sum, s, m, sums);
    if (s.is_there && s.item == 0) {
        u64 carry = borrows ? 0u - carries[s.index] : carries[s.index];
        u64 magnitude = carry >> 63 ? 0u - carry : carry;
        u64 over = times(magnitude, power, table);
        if (residue_plus(sum, 0, m) != (carry >> 63 && over ? m - over : over))
            ATOMIC_INCREMENT(wrong);
    }
}
