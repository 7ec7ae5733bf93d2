/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Kernels between two levels of a radix conversion. A level is stored as one long number: its
 * numbers are in slots of equal length, the lowest first. So one product by a power of the base
 * multiplies all of them (doc/design/device-radix.md). */
#include "kernels/radix/text.h"

/* Prepares the level above. Of each pair of numbers of `words` words, copies the higher number to
 * hi and the lower one to lo. A number gets a slot of `wide` words, wide >= words, which is filled
 * up with zeros. Words behind the last of the `slots` slots become zeros too. Each work-item writes
 * one word of hi and one of lo. */
KERNEL(TEXT_THREADS)
radix_spread(GLOBAL u32 *hi, u64 hi_at, u64 hin, GLOBAL u32 *lo, u64 lo_at, u64 lon,
             GLOBAL const u32 *x, u64 x_at, u64 slots, u64 words, u64 wide) {
    u64 i = (u64)GROUP_X * TEXT_THREADS + LOCAL_ID, slot = i / wide, t = i - slot * wide;
    u32 is_there = slot < slots && t < words;
    u64 from = x_at + 2 * slot * words + t;
    if (i < hin)
        hi[hi_at + i] = is_there ? x[from + words] : 0u;
    if (i < lon)
        lo[lo_at + i] = is_there ? x[from] : 0u;
}

/* Prepares the level below. Copies the highest `words` words of each of the `slots` slots of `wide`
 * words in u and in `product` to slots of `words` words in r. The part of `product` comes first,
 * then the part of u; zeros follow the last slot. One word for each work-item. */
KERNEL(TEXT_THREADS)
radix_split(GLOBAL u32 *r, u64 r_at, u64 rn, GLOBAL const u32 *u, u64 u_at,
            GLOBAL const u32 *product, u64 product_at, u64 slots, u64 wide, u64 words) {
    u64 i = (u64)GROUP_X * TEXT_THREADS + LOCAL_ID, slot = i / words, t = i - slot * words;
    u64 from = slot / 2 * wide + wide - words + t;
    u32 word = 0;
    if (slot < 2 * slots)
        word = slot % 2 ? u[u_at + from] : product[product_at + from];
    if (i < rn)
        r[r_at + i] = word;
}
