/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The product of two small numbers, computed by one work-group (Oancea and Watt 2024,
 * arXiv:2405.14642). A work-item computes a whole column of the schoolbook scheme in three words;
 * then the group resolves the carries in one pass. */
#include "kernels/small/small.h"
#include "kernels/common/carry.h"

#define COLUMNS (2 * SMALL_WORDS)
#if COLUMNS > SPAN * CARRY_THREADS
#error "the columns' carries are resolved in one pass"
#endif

/* Computes the sum of all u[i] v[k - i], in three words. */
FN void column(u32 *sum, LOCAL const u32 *u, u32 un, LOCAL const u32 *v, u32 vn, u32 k) {
    u32 first = k < vn ? 0u : k - vn + 1, end = k < un ? k + 1 : un;
    u64 low = 0;
    u32 high = 0;
    for (u32 i = first; i < end; i++) {
        u64 t = (u64)u[i] * v[k - i];
        low += t;
        high += (u32)(low < t);
    }
    sum[0] = (u32)low;
    sum[1] = (u32)(low >> 32);
    sum[2] = high;
}

/* Returns the sum of the parts of columns k, k - 1 and k - 2 that belong to word k; it is below
 * 2^33 + SMALL_WORDS. The arrays have two zeros in front, so the words of column k have index k +
 * 2. */
FN u64 word_of_columns(LOCAL const u32 *low, LOCAL const u32 *middle, LOCAL const u32 *high,
                       u32 k) {
    return (u64)low[k + 2] + middle[k + 1] + high[k];
}

/* Sets {r + r_at, un + vn} to {u + u_at, un} {v + v_at, vn} for each item (kernels/small/small.h),
 * with un and vn at most SMALL_WORDS. One group for each item. If is_behind is not 0, v is stored
 * behind u. If the item has a ticket (the number by which the host recognises the end), the group
 * writes only the ticket to the report. */
KERNEL(CARRY_THREADS)
small_mul(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *u, u64 u_at, GLOBAL const u32 *v, u64 v_at,
          GLOBAL u32 *report_words, u64 report_at, u64 is_behind, u64 item0, u64 item1, u64 item2,
          u64 item3, u64 item4, u64 item5, u64 item6, u64 item7, u64 base0, u64 base1, u64 base2,
          u64 base3, u64 base4, u64 base5, u64 base6, u64 base7) {
    LOCAL_ARRAY(u32, operand_u, SMALL_WORDS);
    LOCAL_ARRAY(u32, operand_v, SMALL_WORDS);
    LOCAL_ARRAY(u32, low, COLUMNS + 3);
    LOCAL_ARRAY(u32, middle, COLUMNS + 3);
    LOCAL_ARRAY(u32, high, COLUMNS + 3);
    LOCAL_ARRAY(u32, flags, CARRY_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    const u64 item = ITEM_AT(GROUP_Y), skip = BASE_AT(GROUP_Y);
    const u32 un = ITEM_UN(item), vn = ITEM_VN(item), id = LOCAL_ID, words = un + vn;
    r_at += skip;
    v_at += skip + (is_behind > 0 ? ITEM_BEHIND(un) : 0u);
    for (u32 i = id; i < un; i += CARRY_THREADS)
        operand_u[i] = u[u_at + skip + i];
    for (u32 i = id; i < vn; i += CARRY_THREADS)
        operand_v[i] = v[v_at + i];
    if (id < 2)
        low[id] = middle[id] = high[id] = 0;
    BARRIER();
    for (u32 k = id; k < COLUMNS; k += CARRY_THREADS) {
        u32 sum[3];
        column(sum, operand_u, un, operand_v, vn, k);
        low[k + 2] = sum[0];
        middle[k + 2] = sum[1];
        high[k + 2] = sum[2];
    }
    BARRIER();
    u32 x[SPAN], y[SPAN], group, at = id * SPAN;
    UNROLL
    for (u32 i = 0; i < SPAN; i++) {
        u32 k = at + i;
        x[i] = k < words ? (u32)word_of_columns(low, middle, high, k) : 0u;
        y[i] = k < words && k > 0 ? (u32)(word_of_columns(low, middle, high, k - 1) >> 32) : 0u;
    }
    span_increment(x, group_carry(span_add(x, y), 0, flags, rows, &group));
    UNROLL
    for (u32 i = 0; i < SPAN; i++)
        if (at + i < words)
            r[r_at + at + i] = x[i];
    BARRIER();
    if (ITEM_TICKET(item) > 0 && id == 0) {
        GLOBAL u64 *report = (GLOBAL u64 *)(report_words + report_at + skip);
        FENCE_HOST();
        report[REPORT_DONE] = ITEM_TICKET(item);
    }
}
