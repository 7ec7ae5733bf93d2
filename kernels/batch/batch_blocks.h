/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Multiplies by the schoolbook method (Oancea and Watt 2024, arXiv:2405.14642, section 3), on
 * blocks of BATCH_BLOCK words in registers. Column c is the sum of the products of blocks i and c -
 * i of the factors. A work-item computes a long column and a short one, so that all have the same
 * work. Then it computes two blocks of the result: its span, SPAN words. */
#ifndef BATCH_BLOCKS_H
#define BATCH_BLOCKS_H

#include "kernels/batch/batch.h"
#include "kernels/batch/batch_resolve.h"

#define BLOCK BATCH_BLOCK
#define COLUMN_WORDS (2 * BLOCK + 1) /* words of the sum of a column */
#define PAD 4 /* words between operands, so that they begin in different banks */
/* Words of local memory for a group's operands. Operands are no longer than results, which have
 * SPAN words for each work-item. Each number adds PAD words; a group has at most one number for
 * each work-item. */
#define OPERAND_WORDS (CARRY_THREADS * (SPAN + PAD))
/* Returns the place in local memory of block b of the group's results, which are adjacent. A
 * work-item's span has two blocks; PAD unused words follow each span. */
#define PLACE(b) ((b)*BLOCK + (b) / 2 * PAD)
#define RESULT_WORDS (CARRY_THREADS * (SPAN + PAD))
#define TOP_WORDS (RESULT_WORDS / BLOCK)

/* A group's sums of columns, in local memory. Each block of the results has one sum, in three
 * parts: its low block, its high block, and its top word. */
struct columns {
    LOCAL u32 *low, *high; /* RESULT_WORDS */
    LOCAL u32 *top;        /* TOP_WORDS */
};

FN void load_block(u32 *a, LOCAL const u32 *x) {
    UNROLL
    for (int i = 0; i < BLOCK; i += 4)
        LOAD4(LOCAL, a + i, x + i);
}

/* Loads a block from x, or zeros if is_there is 0. */
FN void load_block_if(u32 is_there, u32 *a, LOCAL const u32 *x) {
    UNROLL
    for (int i = 0; i < BLOCK; i++)
        a[i] = 0;
    if (is_there)
        load_block(a, x);
}

/* Doubles each of the sums, which have three words. */
FN void double_sums(u32 sum[2 * BLOCK - 1][3]) {
    UNROLL
    for (int q = 0; q < 2 * BLOCK - 1; q++) {
        sum[q][2] = sum[q][2] << 1 | sum[q][1] >> 31;
        sum[q][1] = sum[q][1] << 1 | sum[q][0] >> 31;
        sum[q][0] <<= 1;
    }
}

/* Computes column c of a product: the sum of block i of u times block c - i of v, for first <= i
 * < end <= 2^26. r has COLUMN_WORDS words. With is_square, v must be u, and the range must be
 * symmetric: first + end = c + 1. */
FN void column_of_blocks(u32 *r, LOCAL const u32 *u, LOCAL const u32 *v, u32 c, u32 first, u32 end,
                         u32 is_square) {
    u32 sum[2 * BLOCK - 1][3], last = is_square && end > first ? c / 2 + 1 : end;
    UNROLL
    for (int q = 0; q < 2 * BLOCK - 1; q++)
        sum[q][0] = sum[q][1] = sum[q][2] = 0;
    for (u32 i = first; i < last; i++) {
        u32 a[BLOCK], b[BLOCK];
        if (is_square && 2 * i == c)
            double_sums(sum);
        load_block(a, u + i * BLOCK);
        load_block(b, v + (c - i) * BLOCK);
        UNROLL
        for (int j = 0; j < BLOCK; j++) {
            UNROLL
            for (int k = 0; k < BLOCK; k++)
                MULTIPLY_ADD(sum[j + k], a[j], b[k]);
        }
    }
    if (is_square && c % 2)
        double_sums(sum);
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

/* Computes two columns of block products (the file's first comment) in the product u v, those of
 * work-item `item`, and stores their sums in s. u and v have `blocks` blocks. `to` is the index in
 * s of the result's first block. Callers need a barrier before and after the call. */
FN void put_columns(LOCAL const u32 *u, LOCAL const u32 *v, u32 is_square, u32 item, u32 to,
                    u32 is_there, u32 blocks, u32 result_blocks, struct columns s) {
    for (u32 second = 0; second < 2; second++) {
        u32 other = result_blocks > blocks ? item + blocks : blocks - 1 - item;
        u32 c = second ? other : item, begin = c < blocks ? 0u : c - blocks + 1;
        u32 end = c < blocks ? c + 1 : blocks, sum[COLUMN_WORDS];
        u32 is_mine = result_blocks > blocks ? item < blocks : 2 * item + second < blocks;
        u32 is_wanted = is_there && is_mine && c < result_blocks;
        column_of_blocks(sum, u, v, c, begin, is_wanted ? end : begin, is_square);
        if (is_wanted) {
            STORE4_TO(LOCAL, s.low + PLACE(to + c), sum);
            STORE4_TO(LOCAL, s.low + PLACE(to + c) + 4, sum + 4);
        }
        if (is_wanted && c + 1 < result_blocks) {
            STORE4_TO(LOCAL, s.high + PLACE(to + c + 1), sum + 8);
            STORE4_TO(LOCAL, s.high + PLACE(to + c + 1) + 4, sum + 12);
        }
        if (is_wanted && c + 2 < result_blocks)
            s.top[to + c + 2] = sum[2 * BLOCK];
    }
}

/* Adds up the sums that belong to this work-item's two blocks of the result: {x, SPAN}, without the
 * carry from the blocks below. Returns the excess of the sum above SPAN words. */
FN u32 take_columns(u32 *x, u32 item, u32 to, u32 is_there, u32 result_blocks, struct columns s) {
    u32 y[SPAN], tops[2], reaches;
    UNROLL
    for (u32 i = 0; i < 2; i++) {
        u32 block = 2 * item + i, is_block = is_there && block < result_blocks;
        load_block_if(is_block, x + i * BLOCK, s.low + PLACE(to + block));
        load_block_if(is_block && block > 0, y + i * BLOCK, s.high + PLACE(to + block));
        tops[i] = is_block && block > 1 ? s.top[to + block] : 0u;
    }
    reaches = span_add(x, y) & CARRY_GENERATE;
    UNROLL
    for (int i = 0; i < SPAN; i++)
        y[i] = i % BLOCK == 0 ? tops[i / BLOCK] : 0u;
    return reaches + (span_add(x, y) & CARRY_GENERATE);
}

#endif
