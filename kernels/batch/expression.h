/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions that generated kernels of expressions call (lib/expression/expression_text.c). An
 * expression's value is one number, computed by a team of work-items with SPAN words each in
 * registers. With matrix units a row computes a value instead (kernels/batch/expression_row.h).
 * Words behind the end of a value are zeros. */
#ifndef EXPRESSION_KERNEL_H
#define EXPRESSION_KERNEL_H

#include "kernels/batch/batch.h"

#define SPAN (2 * BATCH_BLOCK)
#define CARRY_THREADS BATCH_MUL_THREADS
#include "kernels/batch/batch_blocks.h"
#include "kernels/batch/batch_row.h"
#include "kernels/batch/expression_row.h"

struct team {
    /* The index, in the batches, of the number that this team of work-items computes. */
    u64 index;
    /* Index of the team in its group, and of the work-item in its team. */
    u32 number, item;
    u32 is_there;
    struct columns columns;
    struct resolve resolve;
};

/* Begins a kernel: declares local memory and the team. `items`, the number of work-items of a team,
 * is a constant of at most 32. */
#define EXPRESSION_TEAM(items)                                                                     \
    LOCAL_ARRAY(u32, side_u, OPERAND_WORDS);                                                       \
    LOCAL_ARRAY(u32, side_v, OPERAND_WORDS);                                                       \
    LOCAL_ARRAY(u32, low_, RESULT_WORDS);                                                          \
    LOCAL_ARRAY(u32, high_, RESULT_WORDS);                                                         \
    LOCAL_ARRAY(u32, top_, TOP_WORDS);                                                             \
    LOCAL_ARRAY(u32, over_, CARRY_THREADS + 1);                                                    \
    LOCAL_ARRAY(u32, flags_, CARRY_THREADS);                                                       \
    LOCAL_ARRAY(u32, rows_, 2 * CARRY_ROWS);                                                       \
    u32 reaches[1];                                                                                \
    struct team t;                                                                                 \
    t.columns.low = low_, t.columns.high = high_, t.columns.top = top_;                            \
    t.resolve.over = over_, t.resolve.flags = flags_, t.resolve.rows = rows_;                      \
    t.number = LOCAL_ID % 32 / (items);                                                            \
    t.item = LOCAL_ID % 32 - t.number * (items);                                                   \
    t.is_there = t.number < 32 / (items);                                                          \
    t.number += LOCAL_ID / 32 * (32 / (items));                                                    \
    t.index = (u64)GROUP_X * (CARRY_THREADS / 32 * (32 / (items))) + t.number;                     \
    t.is_there = t.is_there && t.index < count

/* Returns how many words of a value of `words` words are in this work-item's span. */
FN u32 team_left(u32 words, struct team t) {
    return t.is_there && t.item * SPAN < words ? words - t.item * SPAN : 0u;
}

FN void team_load(u32 *x, GLOBAL const u32 *u, u32 words, struct team t) {
    batch_load(x, u + t.index * words + t.item * SPAN, team_left(words, t), words % 4 == 0);
}

FN void team_store(GLOBAL u32 *r, const u32 *x, u32 words, struct team t) {
    batch_store(r + t.index * words + t.item * SPAN, team_left(words, t), words % 4 == 0, x);
}

/* Sets x to y, truncated to `words` words. */
FN void team_cut(u32 *x, const u32 *y, u32 words, struct team t) {
    u32 left = team_left(words, t);
    UNROLL
    for (u32 i = 0; i < SPAN; i++)
        x[i] = i < left ? y[i] : 0u;
}

/* Sets {x, words} to {y, y_words}, truncated or extended with zeros. */
FN void team_resize(u32 *x, u32 words, const u32 *y, u32 y_words, struct team t) {
    team_cut(x, y, words < y_words ? words : y_words, t);
}

/* A team of work-items stores an operand of a product in local memory. Returns the word at which it
 * begins. */
FN u32 team_place(u32 words, struct team t) {
    return t.number * ((words + BLOCK - 1) / BLOCK * BLOCK + PAD);
}

/* Stores a value in local memory, as an operand of products. */
FN void team_put(LOCAL u32 *side, const u32 *x, u32 words, struct team t) {
    u32 place = team_place(words, t) + t.item * SPAN, left = team_left(words, t);
    UNROLL
    for (u32 i = 0; i < SPAN; i += BLOCK)
        if (left > i) {
            STORE4_TO(LOCAL, side + place + i, x + i);
            STORE4_TO(LOCAL, side + place + i + 4, x + i + 4);
        }
}

/* Resolves the carries between the spans {x, SPAN} of a value. `over`, below 2^16, is the part of
 * this work-item's sum above SPAN words. `begin` is added to the first span. */
FN void team_resolve(u32 *x, u32 over, u32 begin, struct team t) {
#if defined(ROW_BALLOT)
    u32 below = ROW_FROM_BELOW(over);
    u32 flag = resolve_span(x, t.item == 0 ? begin : below, t.item == 0);
    u32 g = ROW_BALLOT(flag & CARRY_GENERATE), p = ROW_BALLOT(flag & CARRY_PROPAGATE);
    span_increment(x, t.item == 0 ? 0u : mask_carry_in(g, p, 0, LOCAL_ID % 32));
#else
    u32 carry = 0;
    resolve(x, over, t.item == 0, begin, &carry, t.resolve);
#endif
}

/* Sets x to the low result_words words of the product of u and v, operands of `words` words. */
FN void team_multiply(u32 *x, LOCAL const u32 *u, LOCAL const u32 *v, u32 words, u32 result_words,
                      u32 is_square, struct team t) {
    u32 blocks = (words + BLOCK - 1) / BLOCK, result_blocks = (result_words + BLOCK - 1) / BLOCK;
    u32 place = team_place(words, t), to = t.number * result_blocks, reaches;
    ROW_BARRIER();
    put_columns(u + place, v + place, is_square, t.item, to, t.is_there, blocks, result_blocks,
                t.columns);
    ROW_BARRIER();
    reaches = take_columns(x, t.item, to, t.is_there, result_blocks, t.columns);
    team_resolve(x, reaches, 0, t);
    team_cut(x, x, result_words, t);
}

/* Begins a sum with the value y; team_begin_zero begins a sum with 0. Values have `words` words.
 * *reaches counts the carries out of this work-item's span. */
FN void team_begin(u32 *x, u32 *reaches, const u32 *y, u32 words) {
    (void)words;
    UNROLL
    for (int i = 0; i < SPAN; i++)
        x[i] = y[i];
    *reaches = 0;
}

FN void team_begin_zero(u32 *x, u32 *reaches, u32 words) {
    (void)words;
    UNROLL
    for (int i = 0; i < SPAN; i++)
        x[i] = 0;
    *reaches = 0;
}

/* Adds y to the sum x; if `mask` is ~0, adds ~y, which subtracts y + 1. */
FN void team_add(u32 *x, u32 *reaches, const u32 *y, u32 mask, u32 words) {
    u32 z[SPAN];
    (void)words;
    UNROLL
    for (int i = 0; i < SPAN; i++)
        z[i] = y[i] ^ mask;
    *reaches += span_add(x, z) & CARRY_GENERATE;
}

/* Ends a sum, of which `negatives` terms were added as ~y: adds 1 for each, and resolves the
 * carries. */
FN void team_sum(u32 *x, const u32 *reaches, u32 negatives, u32 words, struct team t) {
    team_resolve(x, *reaches, negatives, t);
    team_cut(x, x, words, t);
}

#endif
