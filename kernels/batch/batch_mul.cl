/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of many pairs of numbers, by the schoolbook scheme (Oancea and Watt 2024,
 * arXiv:2405.14642, section 3) on blocks of BATCH_BLOCK words in registers: a work-item takes two
 * columns of blocks, a long and a short one, so that all have the same to do. */
#include "kernels/batch/batch.h"

#define SPAN (2 * BATCH_BLOCK)
#define CARRY_THREADS BATCH_MUL_THREADS
#include "kernels/batch/batch_settle.h"

#define BLOCK BATCH_BLOCK
#define COLUMN_WORDS (2 * BLOCK + 1) /* of a column's sum */
#define PAD 4                        /* words between operands: other banks */
/* A group's operands have no more words than its results, SPAN a work-item, with PAD for as many
 * numbers at most as there are work-items. */
#define OPERAND_WORDS (CARRY_THREADS * (SPAN + PAD))
/* Block b of the results, all numbers' in a row: so two of them, a work-item's span, are PAD apart
 * from the next two. */
#define PLACE(b) ((b)*BLOCK + (b) / 2 * PAD)
#define RESULT_WORDS (CARRY_THREADS * (SPAN + PAD))

FN void load_block(u32 *a, LOCAL const u32 *x) {
    UNROLL
    for (int i = 0; i < BLOCK; i += 4)
        LOAD4(LOCAL, a + i, x + i);
}

/* The block, or zeros. */
FN void load_block_if(u32 is_there, u32 *a, LOCAL const u32 *x) {
    UNROLL
    for (int i = 0; i < BLOCK; i++)
        a[i] = 0;
    if (is_there)
        load_block(a, x);
}

/* The sum of the products of block i of u and block c - i of v, first <= i < end <= 2^26, in
 * COLUMN_WORDS words. */
FN void column_of_blocks(u32 *r, LOCAL const u32 *u, LOCAL const u32 *v, u32 c, u32 first,
                         u32 end) {
    u32 sum[2 * BLOCK - 1][3];
    UNROLL
    for (int q = 0; q < 2 * BLOCK - 1; q++)
        sum[q][0] = sum[q][1] = sum[q][2] = 0;
    for (u32 i = first; i < end; i++) {
        u32 a[BLOCK], b[BLOCK];
        load_block(a, u + i * BLOCK);
        load_block(b, v + (c - i) * BLOCK);
        UNROLL
        for (int j = 0; j < BLOCK; j++) {
            UNROLL
            for (int k = 0; k < BLOCK; k++)
                MULTIPLY_ADD(sum[j + k], a[j], b[k]);
        }
    }
    u64 carry = 0;
    UNROLL
    for (int q = 0; q < 2 * BLOCK - 1; q++) {
        u64 low = (u64)sum[q][1] << 32 | sum[q][0], t = low + carry;
        u32 high = sum[q][2] + (u32)(t < low);
        r[q] = (u32)t;
        carry = t >> 32 | (u64)high << 32;
    }
    r[2 * BLOCK - 1] = (u32)carry;
    r[2 * BLOCK] = (u32)(carry >> 32);
}

/* The operands of a group, to `stride` words each, zeros behind their ends. */
FN void fetch(LOCAL u32 *to, GLOBAL const u32 *x, u32 numbers, u32 words, u32 padded, u32 stride) {
    const u32 step = 4 * CARRY_THREADS, over = step / padded, on = step - over * padded;
    u32 number = 4 * LOCAL_ID / padded, at = 4 * LOCAL_ID - number * padded;
    while (number < numbers) {
        GLOBAL const u32 *from = x + (u64)number * words + at;
        u32 a[4] = {0, 0, 0, 0};
        if (words % 4 == 0 && at < words) {
            LOAD4(GLOBAL, a, from);
        } else {
            if (at < words)
                LOAD2(GLOBAL, a[0], a[1], from);
            if (at + 2 < words)
                LOAD2(GLOBAL, a[2], a[3], from + 2);
        }
        STORE4_TO(LOCAL, to + number * stride + at, a);
        number += over;
        at += on;
        number += at >= padded;
        at -= at >= padded ? padded : 0u;
    }
}

/* The low result_words, at most 2 words, of number i of u times that of v, as number i of r, i <
 * count.  The first of each begin at words u_at, v_at and r_at: multiples of 4 where the numbers'
 * words are, else even.  A number has `blocks` blocks, its result result_blocks, for which it has
 * `items` work-items; a group takes `each` numbers. */
KERNEL(BATCH_MUL_THREADS)
batch_mul(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *u, u64 u_at, GLOBAL const u32 *v, u64 v_at,
          u64 count, u32 words, u32 blocks, u32 result_words, u32 result_blocks, u32 items,
          u32 each) {
    LOCAL_ARRAY(u32, operand_u, OPERAND_WORDS);
    LOCAL_ARRAY(u32, operand_v, OPERAND_WORDS);
    LOCAL_ARRAY(u32, low, RESULT_WORDS);
    LOCAL_ARRAY(u32, high, RESULT_WORDS);
    LOCAL_ARRAY(u32, top, RESULT_WORDS / BLOCK);
    LOCAL_ARRAY(u32, over, CARRY_THREADS + 1);
    LOCAL_ARRAY(u32, flags, CARRY_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    struct settle s = {over, flags, rows};
    u32 number = LOCAL_ID / items, item = LOCAL_ID - number * items, stride = blocks * BLOCK + PAD;
    u64 first = (u64)GROUP_X * each;
    u32 numbers = count - first < each ? (u32)(count - first) : each;
    u32 is_there = number < numbers, to = number * result_blocks;
    fetch(operand_u, u + u_at + first * words, numbers, words, blocks * BLOCK, stride);
    fetch(operand_v, v + v_at + first * words, numbers, words, blocks * BLOCK, stride);
    BARRIER();
    for (u32 second = 0; second < 2; second++) {
        u32 other = result_blocks > blocks ? item + blocks : blocks - 1 - item;
        u32 c = second ? other : item, begin = c < blocks ? 0u : c - blocks + 1;
        u32 end = c < blocks ? c + 1 : blocks, sum[COLUMN_WORDS];
        u32 is_wanted = is_there && c < result_blocks && (second == 0 || other > item);
        column_of_blocks(sum, operand_u + number * stride, operand_v + number * stride, c, begin,
                         is_wanted ? end : begin);
        if (is_wanted) {
            STORE4_TO(LOCAL, low + PLACE(to + c), sum);
            STORE4_TO(LOCAL, low + PLACE(to + c) + 4, sum + 4);
        }
        if (is_wanted && c + 1 < result_blocks) {
            STORE4_TO(LOCAL, high + PLACE(to + c + 1), sum + 8);
            STORE4_TO(LOCAL, high + PLACE(to + c + 1) + 4, sum + 12);
        }
        if (is_wanted && c + 2 < result_blocks)
            top[to + c + 2] = sum[2 * BLOCK];
    }
    BARRIER();
    u32 x[SPAN], y[SPAN], tops[2], reaches, carry = 0, at = item * SPAN;
    UNROLL
    for (u32 i = 0; i < 2; i++) {
        u32 block = 2 * item + i, is_block = is_there && block < result_blocks;
        load_block_if(is_block, x + i * BLOCK, low + PLACE(to + block));
        load_block_if(is_block && block > 0, y + i * BLOCK, high + PLACE(to + block));
        tops[i] = is_block && block > 1 ? top[to + block] : 0u;
    }
    reaches = span_add(x, y) & CARRY_GENERATE;
    UNROLL
    for (int i = 0; i < SPAN; i++)
        y[i] = i % BLOCK == 0 ? tops[i / BLOCK] : 0u;
    reaches += span_add(x, y) & CARRY_GENERATE;
    settle(x, reaches, item == 0, 0, &carry, s);
    batch_store(r + r_at + (first + number) * result_words + at,
                is_there && at < result_words ? result_words - at : 0u, result_words % 4 == 0, x);
}
