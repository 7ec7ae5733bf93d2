/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks results of batches: products by residues modulo a random modulus, sums word by word. It
 * reads each number from memory once. Each group that finds no error adds to the verdict
 * (kernels/check/verdict.h). */
#include "kernels/batch/batch_share.h"
#include "kernels/check/low_product.h"
#include "kernels/check/verdict.h"

/* ---- sums */

/* Checks sums: r = the weighted sum of a, b, .... Byte k of `weights` is the signed weight of term
 * k. `carries` has the limbs above the sums (batch_sum.cl). These limbs are not checked if
 * `borrows` is BATCH_CARRIES_LOST.
 *
 * For each word, let d be the weighted sum of the terms' words, minus the word of r. If r is right,
 * carry in = -d modulo 2^32, and carry out = (d + carry in) / 2^32. So d determines both carries of
 * each word. r is right if the carry into the first word is 0, each carry out is the next word's
 * carry in, and the last carry out is in `carries`. */
KERNEL(BATCH_THREADS)
batch_check_sum(GLOBAL u32 *verdict, u32 pass, GLOBAL const u32 *r, GLOBAL const u64 *carries,
                u32 borrows, u64 count, u32 words, u32 items, u32 each, u32 terms, u64 weights,
                GLOBAL const u32 *a, GLOBAL const u32 *b, GLOBAL const u32 *c, GLOBAL const u32 *d,
                GLOBAL const u32 *e, GLOBAL const u32 *f, GLOBAL const u32 *g,
                GLOBAL const u32 *h) {
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    struct share s = share_of(count, items, each);
    u32 bad = 0;
    for (u32 at = s.item * SPAN; s.is_there && at < words; at += items * SPAN) {
        u32 left = words - at;
        u64 sum[SPAN + 1];
        UNROLL
        for (int i = 0; i <= SPAN; i++)
            sum[i] = 0;
        for (u32 k = 0; k <= terms; k++) {
            GLOBAL const u32 *p = (k < terms ? BATCH_TERM(k) : r) + s.index * words + at;
            u64 weight = k < terms ? (u64)((s64)(weights << (56 - 8 * k)) >> 56) : ~(u64)0;
            u32 x[SPAN + 1];
            batch_load(x, p, left, words % 4 == 0);
            x[SPAN] = left > SPAN ? p[SPAN] : 0u;
            UNROLL
            for (int i = 0; i <= SPAN; i++)
                sum[i] += x[i] * weight;
        }
        u32 are_lost = borrows == BATCH_CARRIES_LOST;
        u64 top = left <= SPAN && !are_lost ? carries[s.index] : 0u;
        top = borrows ? 0u - top : top;
        u32 in = 0u - (u32)sum[0];
        bad |= at == 0 ? in : 0u;
        UNROLL
        for (u32 i = 0; i < SPAN; i++) {
            u32 out = (u32)((sum[i] + (u64)(s64)(s32)in) >> 32);
            in = i + 1 < left ? 0u - (u32)sum[i + 1] : are_lost ? out : (u32)top;
            bad |= i < left ? out ^ in : 0u;
        }
        bad |= top != (u64)(s64)(s32)(u32)top;
    }
    verdict_add(verdict, pass, bad, votes);
}

/* Checks batch_resize: the words of r must equal the words of u. */
KERNEL(BATCH_THREADS)
batch_check_resize(GLOBAL u32 *verdict, u32 pass, GLOBAL const u32 *r, GLOBAL const u32 *u,
                   u64 count, u32 words, u32 result_words) {
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    u32 bad = 0;
    for (u32 k = 0; k < SPAN; k++) {
        u64 at = ((u64)GROUP_X * SPAN + k) * BATCH_THREADS + LOCAL_ID, number = at / result_words;
        u32 word = (u32)(at - number * result_words);
        bad |= number < count && r[at] != (word < words ? u[number * words + word] : 0u);
    }
    verdict_add(verdict, pass, bad, votes);
}

/* ---- products */

/* Adds up `part` modulo m over those work-items that share a number. Returns the sum from the first
 * of them up to this work-item. */
FN u64 sum_up_to(u64 part, struct share s, u32 items, u64 m, LOCAL u64 *sums) {
    for (u32 step = 1; step < items; step *= 2) {
        sums[LOCAL_ID] = part;
        BARRIER();
        if (s.item >= step)
            part = residue_plus(part, sums[LOCAL_ID - step], m);
        BARRIER();
    }
    return part;
}

/* Checks products r = u v for numbers u and v of `words` words; r has 2 `words` words. */
KERNEL(BATCH_THREADS)
batch_check_product(GLOBAL u32 *verdict, u32 pass, GLOBAL const u32 *r, GLOBAL const u32 *u,
                    GLOBAL const u32 *v, u64 count, u32 words, u32 items, u32 each,
                    GLOBAL const u32 *table_words, u64 table_at) {
    LOCAL_ARRAY(u64, sums, BATCH_THREADS);
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    u64 m = table[RESIDUE_M];
    struct share s = share_of(count, items, each);
    u64 of_u = part_of_residue(u + s.index * words, words, s, table);
    u64 of_v = u == v ? of_u : part_of_residue(v + s.index * words, words, s, table);
    u64 of_r = part_of_residue(r + 2 * s.index * words, 2 * words, s, table);
    of_u = sum_of_parts(of_u, s, items, m, sums);
    of_v = sum_of_parts(of_v, s, items, m, sums);
    of_r = sum_of_parts(of_r, s, items, m, sums);
    u64 product = residue_product(of_u, of_v, m, table[RESIDUE_MINV]);
    u32 bad = s.is_there && s.item == 0 && residue_plus(product, of_r, m) != 0;
    verdict_add(verdict, pass, bad, votes);
}

/* Loads {x, SPAN} from the last SPAN words of {src, left}. If `left` is less than SPAN, the words
 * are preceded by zeros. */
FN void load_half_down(u32 *x, GLOBAL const u32 *src, u32 left, u32 by_four) {
    if (by_four && left >= SPAN) {
        UNROLL
        for (int i = 0; i < SPAN; i += 4)
            LOAD4(GLOBAL, x + i, src + left - SPAN + i);
    } else {
        UNROLL
        for (u32 i = 0; i < SPAN; i += 2) {
            x[i] = x[i + 1] = 0;
            if (left + i >= SPAN)
                LOAD2(GLOBAL, x[i], x[i + 1], src + (left + i - SPAN));
        }
    }
}

/* Loads {x, CHECK_SPAN} from the last CHECK_SPAN words of {src, left}. If `left` is less than
 * CHECK_SPAN, the words are preceded by zeros. */
FN void load_down(u32 *x, GLOBAL const u32 *src, u32 left, u32 by_four) {
    load_half_down(x, src, left > SPAN ? left - SPAN : 0u, by_four);
    load_half_down(x + SPAN, src, left, by_four);
}

/* Checks low products: r must be the low `words` words of u v (low_product.h). */
KERNEL_DENSE(BATCH_THREADS, 3)
batch_check_low(GLOBAL u32 *verdict, u32 pass, GLOBAL const u32 *r, GLOBAL const u32 *u,
                GLOBAL const u32 *v, u64 count, u32 words, u32 items, u32 each,
                GLOBAL const u32 *table_words, u64 table_at) {
    LOCAL_ARRAY(u64, sums, BATCH_THREADS);
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV], before = 0, rest = 0;
    struct share s = share_of(count, items, each);
    for (u32 tile = 0; tile * CHECK_SPAN < words; tile += items) {
        u32 span = tile + s.item, by_four = words % 4 == 0;
        u32 left = s.is_there && span * CHECK_SPAN < words ? words - span * CHECK_SPAN : 0u;
        u64 at = s.index * words;
        u32 x[CHECK_SPAN], y[CHECK_SPAN], z[CHECK_SPAN];
        load_up(y, v + at + span * CHECK_SPAN, left, by_four);
        load_down(x, u + at, left, by_four);
        load_down(z, r + at, left, by_four);
        struct low_span part = low_span(x, y, m, minv);
        u64 own = residue_product(part.v, table[RESIDUE_UP + span], m, minv);
        u64 sum = sum_up_to(s.item == 0 ? residue_plus(own, before, m) : own, s, items, m, sums);
        u64 below = residue_plus(sum, m - own, m);
        rest = residue_plus(rest, low_span_term(part, x, z, span, below, table), m);
        sums[LOCAL_ID] = sum;
        BARRIER();
        /* `before` is now the weighted sum of all words of the number that were checked so far. The
         * next round checks the words above them. */
        before = sums[BATCH_THREADS - 1];
        BARRIER();
    }
    rest = sum_of_parts(rest, s, items, m, sums);
    u32 bad = s.is_there && s.item == 0 && !low_product_is_right(rest, words, table);
    verdict_add(verdict, pass, bad, votes);
}

/* Returns rest - weight * z, where z is the residue of this work-item's words of the term p. */
FN u64 less_terms(u64 rest, GLOBAL const u32 *p, s32 weight, u32 left, u32 by_four, u64 m,
                  u64 minv) {
    u32 z[CHECK_SPAN];
    load_down(z, p, left, by_four);
    u64 w = residue_span_down(z, m, minv);
    w = w < m ? w : w - m;
    w = weight < 0 || w == 0 ? w : m - w;
    for (u32 k = (u32)(weight < 0 ? -weight : weight); k > 0; k--)
        rest = residue_plus(rest, w, m);
    return rest;
}

/* Checks low sums of products. r must be the low `words` words of u v, plus u_2 v_2 if there are
 * two products, plus the numbers a, b, ... times their weights (see batch_check_sum). If bit k of
 * `negatives` is set, product k is subtracted. The work-items of a group cover a whole number. */
KERNEL_DENSE(BATCH_THREADS, 3)
batch_check_low_sum(GLOBAL u32 *verdict, u32 pass, GLOBAL const u32 *r, u64 count, u32 words,
                    u32 items, u32 each, u32 products, u32 negatives, GLOBAL const u32 *u,
                    GLOBAL const u32 *v, GLOBAL const u32 *u_2, GLOBAL const u32 *v_2, u32 terms,
                    u64 weights, GLOBAL const u32 *a, GLOBAL const u32 *b, GLOBAL const u32 *c,
                    GLOBAL const u32 *d, GLOBAL const u32 *e, GLOBAL const u32 *f,
                    GLOBAL const u32 *g, GLOBAL const u32 *h, GLOBAL const u32 *table_words,
                    u64 table_at) {
    LOCAL_ARRAY(u64, sums, BATCH_THREADS);
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    const struct share s = share_of(count, items, each);
    const u32 by_four = words % 4 == 0;
    const u32 left = s.is_there && s.item * CHECK_SPAN < words ? words - s.item * CHECK_SPAN : 0u;
    const u64 at = s.index * words;
    u32 x[CHECK_SPAN], y[CHECK_SPAN];
    load_down(x, r + at, left, by_four);
    u64 rest = residue_span_down(x, m, minv);
    rest = rest < m ? rest : rest - m;
    for (u32 k = 0; k < terms; k++)
        rest = less_terms(rest, BATCH_TERM(k) + at, (s32)(u32)(weights << (56 - 8 * k) >> 32) >> 24,
                          left, by_four, m, minv);
    rest = residue_product(rest, table[RESIDUE_DOWN + s.item], m, minv);
    for (u32 k = 0; k < products; k++) {
        load_up(y, (k ? v_2 : v) + at + s.item * CHECK_SPAN, left, by_four);
        load_down(x, (k ? u_2 : u) + at, left, by_four);
        struct low_span part = low_span(x, y, m, minv);
        u64 own = residue_product(part.v, table[RESIDUE_UP + s.item], m, minv);
        u64 below = residue_plus(sum_up_to(own, s, items, m, sums), m - own, m);
        u64 term = low_span_less(part, x, 0, s.item, below, table);
        rest = residue_plus(rest, negatives >> k & 1 && term ? m - term : term, m);
    }
    rest = sum_of_parts(rest, s, items, m, sums);
    u32 minus = (negatives & 1) + (negatives >> 1 & 1);
    u32 bad = s.is_there && s.item == 0 && !low_sum_is_right(rest, words, products, minus, table);
    verdict_add(verdict, pass, bad, votes);
}
