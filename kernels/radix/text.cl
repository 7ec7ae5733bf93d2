/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Kernels that convert texts to chunks of digits and chunks to texts, and that compute the residue
 * of a text. */
#include "kernels/check/residue.h"
#include "kernels/radix/text.h"

/* Converts a text of n digits to chunks of digits, each of which is a number in one word. A
 * work-item computes one chunk. The chunks of leaf i are at out[out_at + i chunks]. Places in front
 * of the text count as zeros. The first `whole` bytes of the text are in memory, the other bytes in
 * `tail` (text_byte). Sets wrong[wrong_at] to 1 if a character is not a digit. */
KERNEL(TEXT_THREADS)
text_chunks(GLOBAL u32 *out, u64 out_at, GLOBAL const u32 *text, u64 text_at, u64 n, u64 whole,
            u64 tail, u32 characters, u64 leaves, u32 base, u32 digits, u32 per, u32 head,
            u32 chunks, GLOBAL u32 *wrong, u64 wrong_at) {
    u64 id = (u64)GROUP_X * TEXT_THREADS + LOCAL_ID, leaf = id / chunks;
    u32 chunk = (u32)(id - leaf * chunks), count = chunk == 0 ? head : per, number = 0, bad = 0;
    u64 below = (leaf + 1) * digits - (chunk == 0 ? 0u : head + (chunk - 1) * per);
    if (leaf < leaves) {
        for (u32 k = 0; k < count; k++) {
            /* counts digits from the end: 1 for the last digit */
            u64 from_end = below - k;
            u32 value = 0;
            if (from_end <= n)
                value = text_value(text_byte(text + text_at, whole, tail, n - from_end), base,
                                   characters);
            bad |= (u32)(value >= base);
            number = number * base + (value < base ? value : 0u);
        }
        out[out_at + id] = number;
        if (bad)
            wrong[wrong_at] = 1;
    }
}

/* Returns digit in_leaf of a leaf; digit 0 is the leaf's first. */
FN u32 digit_of(GLOBAL const u32 *chunks_of, u64 leaf, u32 in_leaf, struct radix_cut cut) {
    u32 chunk = in_leaf < cut.head ? 0u : 1 + (in_leaf - cut.head) / cut.per;
    /* The index in the leaf of the chunk's last digit. */
    u32 last = cut.head + chunk * cut.per - 1;
    return chunks_of[leaf * cut.chunks + chunk] / text_power(cut.base, last - in_leaf) % cut.base;
}

/* Writes the lowest n digits of the leaves' chunks as a text. One word for each work-item. */
KERNEL(TEXT_THREADS)
text_digits(GLOBAL u32 *text, u64 text_at, u64 n, GLOBAL const u32 *in, u64 in_at, u32 characters,
            u32 base, u32 digits, u32 per, u32 head, u32 chunks) {
    const struct radix_cut cut = {base, digits, per, head, chunks};
    u64 first = 4 * ((u64)GROUP_X * TEXT_THREADS + LOCAL_ID);
    if (first < n) {
        u64 from_end = n - first, leaf = (from_end - 1) / digits;
        u32 in_leaf = (u32)((leaf + 1) * digits - from_end), word = 0;
        for (u32 k = 0; k < 4 && first + k < n; k++) {
            u32 value = digit_of(in + in_at, leaf, in_leaf, cut);
            word |= text_character(value, characters) << 8 * k;
            leaf -= in_leaf + 1 == digits;
            in_leaf = in_leaf + 1 == digits ? 0u : in_leaf + 1;
        }
        text[text_at + first / 4] = word;
    }
}

/* Returns base^exponent for a base in Montgomery form. */
FN u64 residue_power(u64 base, u64 exponent, GLOBAL const u64 *table) {
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV], power = table[RESIDUE_ONE];
    for (; exponent > 0; exponent >>= 1) {
        u64 with = residue_product(power, base, m, minv);
        power = exponent & 1 ? with : power;
        base = residue_product(base, base, m, minv);
    }
    return power;
}

/* Group g computes the residue of its part of a text of n digits, out[out_at + g]. A work-item
 * takes TEXT_RESIDUE_CHUNKS chunks of `per` digits; the first work-item of the first group takes
 * the last digits. by_chunk is base^per, by_item is base^(TEXT_RESIDUE_CHUNKS per), both in
 * Montgomery form. Sets wrong[wrong_at] to 1 if a character is not a digit. */
KERNEL(TEXT_THREADS)
text_residue(GLOBAL u64 *out, u64 out_at, GLOBAL const u32 *text, u64 text_at, u64 n, u64 whole,
             u64 tail, u32 characters, u32 base, u32 per, u64 by_chunk, u64 by_item,
             GLOBAL const u32 *table_words, u64 table_at, GLOBAL u32 *wrong, u64 wrong_at) {
    LOCAL_ARRAY(u64, sums, TEXT_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV], sum = 0;
    u64 id = (u64)GROUP_X * TEXT_THREADS + LOCAL_ID;
    u64 from_end = (id + 1) * TEXT_RESIDUE_CHUNKS * per;
    u32 bad = 0;
    for (u32 chunk = 0; chunk < TEXT_RESIDUE_CHUNKS; chunk++) {
        u32 number = 0;
        for (u32 k = 0; k < per; k++, from_end--) {
            u32 value = 0;
            if (from_end <= n)
                value = text_value(text_byte(text + text_at, whole, tail, n - from_end), base,
                                   characters);
            bad |= (u32)(value >= base);
            number = number * base + (value < base ? value : 0u);
        }
        sum = residue_product(sum, by_chunk, m, minv) + number;
    }
    if (bad)
        wrong[wrong_at] = 1;
    sums[LOCAL_ID] = residue_product(sum, residue_power(by_item, id, table), m, minv);
    BARRIER();
    for (u32 count = TEXT_THREADS / 2; count > 0; count /= 2) {
        if (LOCAL_ID < count)
            sums[LOCAL_ID] = residue_plus(sums[LOCAL_ID], sums[LOCAL_ID + count], m);
        BARRIER();
    }
    if (LOCAL_ID == 0)
        out[out_at + GROUP_X] = sums[0];
}

/* Sets out[out_at] to the sum of {in + in_at, n} modulo m, and the next entry to 0. One group. */
KERNEL(TEXT_THREADS)
text_sum(GLOBAL u64 *out, u64 out_at, GLOBAL const u64 *in, u64 in_at, u64 n,
         GLOBAL const u32 *table_words, u64 table_at) {
    LOCAL_ARRAY(u64, sums, TEXT_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    u64 m = table[RESIDUE_M], sum = 0;
    for (u64 i = LOCAL_ID; i < n; i += TEXT_THREADS)
        sum = residue_plus(sum, in[in_at + i], m);
    sums[LOCAL_ID] = sum;
    BARRIER();
    for (u32 count = TEXT_THREADS / 2; count > 0; count /= 2) {
        if (LOCAL_ID < count)
            sums[LOCAL_ID] = residue_plus(sums[LOCAL_ID], sums[LOCAL_ID + count], m);
        BARRIER();
    }
    if (LOCAL_ID == 0) {
        out[out_at] = sums[0];
        out[out_at + 1] = 0;
    }
}
