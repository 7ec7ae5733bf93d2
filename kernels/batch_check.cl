/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of batches: residues of each number, compared on the device.  And low halves. */
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

/* This work-item's part of the residue of its number of words x. */
FN u64 part_of_residue(GLOBAL const u32 *x, u32 words, struct share s, GLOBAL const u64 *table) {
    u64 sum = 0, m = table[RESIDUE_M];
    for (u32 at = s.item * SPAN; s.is_there && at < words; at += s.items * SPAN) {
        u32 a[SPAN];
        batch_load(a, x + s.index * words + at, words - at, words % 4 == 0, 0);
        sum = residue_plus(sum, residue_of_span(a, at / SPAN, table), m);
    }
    return sum;
}

/* The sum of a number's parts, for the first of its work-items. */
FN u64 sum_of_parts(u64 part, struct share s, u64 m, LOCAL u64 *sums) {
    sums[LOCAL_ID] = part;
    BARRIER();
    for (u32 step = 1; step < s.items; step *= 2) {
        if (s.item % (2 * step) == 0 && s.item + step < s.items)
            sums[LOCAL_ID] = residue_plus(sums[LOCAL_ID], sums[LOCAL_ID + step], m);
        BARRIER();
    }
    u64 sum = sums[LOCAL_ID];
    BARRIER();
    return sum;
}

/* Adds to *wrong the numbers i < count of r, 2 words each, that are not u times v. */
KERNEL(BATCH_THREADS)
batch_check_product(GLOBAL u32 *wrong, GLOBAL const u32 *r, GLOBAL const u32 *u, u64 u_at,
                    GLOBAL const u32 *v, u64 v_at, u64 count, u32 words, u32 items, u32 each,
                    GLOBAL const u32 *table_words, u64 table_at) {
    LOCAL_ARRAY(u64, sums, BATCH_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    struct share s = share_of(count, items, each);
    u64 of_u = sum_of_parts(part_of_residue(u + u_at, words, s, table), s, m, sums);
    u64 of_v = sum_of_parts(part_of_residue(v + v_at, words, s, table), s, m, sums);
    u64 of_r = sum_of_parts(part_of_residue(r, 2 * words, s, table), s, m, sums);
    if (s.is_there && s.item == 0 &&
        residue_product(of_u, of_v, m, minv) != residue_product(of_r, 1, m, minv))
        ATOMIC_INCREMENT(wrong);
}

/* Adds to *wrong those of r and carries that batch_sum would not have made; `power` is
 * 2^(32 words) modulo m. */
KERNEL(BATCH_THREADS)
batch_check_sum(GLOBAL u32 *wrong, GLOBAL const u32 *r, GLOBAL const u64 *carries, u32 borrows,
                u64 power, u64 count, u32 words, u32 items, u32 each,
                GLOBAL const u32 *table_words, u64 table_at, u32 terms, u32 negated,
                GLOBAL const u32 *a, GLOBAL const u32 *b, GLOBAL const u32 *c, GLOBAL const u32 *d,
                GLOBAL const u32 *e, GLOBAL const u32 *f, GLOBAL const u32 *g,
                GLOBAL const u32 *h) {
    LOCAL_ARRAY(u64, sums, BATCH_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    struct share s = share_of(count, items, each);
    u64 sum = m - part_of_residue(r, words, s, table), last_part = 0;
    GLOBAL const u32 *last = 0;
    for (u32 k = 0; k < terms; k++) {
        GLOBAL const u32 *p = k == 0   ? a
                              : k == 1 ? b
                              : k == 2 ? c
                              : k == 3 ? d
                              : k == 4 ? e
                              : k == 5 ? f
                              : k == 6 ? g
                                       : h;
        u64 part = p == last ? last_part : part_of_residue(p, words, s, table);
        last = p;
        last_part = part;
        sum = residue_plus(sum, negated >> k & 1u ? m - part : part, m);
    }
    sum = sum_of_parts(sum, s, m, sums);
    if (s.is_there && s.item == 0) {
        u64 carry = borrows ? 0u - carries[s.index] : carries[s.index];
        u64 magnitude = carry >> 63 ? 0u - carry : carry;
        u64 over = residue_product(residue_product(magnitude, power, m, minv), table[RESIDUE_HIGH],
                                   m, minv);
        if (residue_plus(sum, 0, m) != (carry >> 63 && over ? m - over : over))
            ATOMIC_INCREMENT(wrong);
    }
}

/* The low `limbs` limbs of each of {x, 2 limbs}, limbs of 64 bits, `all` in all, from limb r_at on. */
KERNEL(BATCH_THREADS)
batch_low(GLOBAL u64 *r, u64 r_at, GLOBAL const u64 *x, u64 all, u32 limbs) {
    u64 i = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID, number = i / limbs;
    if (i < all)
        r[r_at + i] = x[i + number * limbs];
}
