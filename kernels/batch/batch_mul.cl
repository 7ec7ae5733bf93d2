/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Multiplies many pairs of numbers by the schoolbook method on blocks
 * (kernels/batch/batch_blocks.h). */
#include "kernels/batch/batch.h"

#define SPAN (2 * BATCH_BLOCK)
#define CARRY_THREADS BATCH_MUL_THREADS
#include "kernels/batch/batch_blocks.h"

/* Copies the operands of a group to local memory, `stride` words each, with zeros behind their
 * ends. In x, adjacent operands are x_step words apart. */
FN void fetch(LOCAL u32 *to, GLOBAL const u32 *x, u32 numbers, u32 x_step, u32 words, u32 padded,
              u32 stride) {
    const u32 step = 4 * CARRY_THREADS, over = step / padded, on = step - over * padded;
    u32 number = 4 * LOCAL_ID / padded, at = 4 * LOCAL_ID - number * padded;
    while (number < numbers) {
        GLOBAL const u32 *from = x + (u64)number * x_step + at;
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

/* Sets number i of r to the low result_words words of number i of u times number i of v, for i <
 * count. Offsets (u_at, v_at, r_at) and distances between numbers (u_step, v_step, which may be 0)
 * are in words. They must be multiples of 4 if `words` is a multiple of 4, otherwise even. A result
 * has result_blocks blocks and `items` work-items. A group computes `each` products. */
KERNEL(BATCH_MUL_THREADS)
batch_mul(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *u, u64 u_at, u32 u_step, GLOBAL const u32 *v,
          u64 v_at, u32 v_step, u64 count, u32 words, u32 blocks, u32 result_words,
          u32 result_blocks, u32 items, u32 each) {
    LOCAL_ARRAY(u32, operand_u, OPERAND_WORDS);
    LOCAL_ARRAY(u32, operand_v, OPERAND_WORDS);
    LOCAL_ARRAY(u32, low, RESULT_WORDS);
    LOCAL_ARRAY(u32, high, RESULT_WORDS);
    LOCAL_ARRAY(u32, top, TOP_WORDS);
    LOCAL_ARRAY(u32, over, CARRY_THREADS + 1);
    LOCAL_ARRAY(u32, flags, CARRY_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    struct resolve s = {over, flags, rows};
    struct columns columns = {low, high, top};
    u32 number = LOCAL_ID / items, item = LOCAL_ID - number * items, stride = blocks * BLOCK + PAD;
    u64 first = (u64)GROUP_X * each;
    u32 numbers = count - first < each ? (u32)(count - first) : each;
    u32 is_there = number < numbers, to = number * result_blocks;
    fetch(operand_u, u + u_at + first * u_step, numbers, u_step, words, blocks * BLOCK, stride);
    fetch(operand_v, v + v_at + first * v_step, numbers, v_step, words, blocks * BLOCK, stride);
    BARRIER();
    u32 is_square = u == v && u_at == v_at && u_step == v_step;
    put_columns(operand_u + number * stride, operand_v + number * stride, is_square, item, to,
                is_there, blocks, result_blocks, columns);
    BARRIER();
    u32 x[SPAN], carry = 0, at = item * SPAN;
    u32 reaches = take_columns(x, item, to, is_there, result_blocks, columns);
    resolve(x, reaches, item == 0, 0, &carry, s);
    batch_store(r + r_at + (first + number) * result_words + at,
                is_there && at < result_words ? result_words - at : 0u, result_words % 4 == 0, x);
}
