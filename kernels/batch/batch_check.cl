/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of batches: products by residues modulo a random modulus, sums word by word.  Numbers
 * are read from memory, each once; groups without an error add to the verdict. */
#include "kernels/batch/batch_share.h"
#include "kernels/check/low_product.h"
#include "kernels/check/verdict.h"

/* ---- sums */

/* Passes the spans of r that equal the sum of a, b, ..., in which term k has the weight byte k of
 * `weights`, a signed number.  `carries` must be the sum's top (batch_sum.cl), unless it is lost.
 *
 * Take the terms minus r, word by word: the negated low half is the carry into that word, and with
 * it the high half is the carry out.  So r is right if three conditions hold.  The carry out of
 * each word is the carry into the next word.  The carry into the first word is 0.  The carry out of
 * the last word is `carries`. */
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

/* Passes the words of r that equal the words of u (batch_resize). */
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

/* Returns the sum of the parts of all work-items up to and including this one. */
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

/* Passes the numbers of r, of 2 words words, that equal u times v. */
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

/* {x, SPAN} from the last of {src, left}, zeros before its beginning. */
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

/* {x, CHECK_SPAN}, likewise. */
FN void load_down(u32 *x, GLOBAL const u32 *src, u32 left, u32 by_four) {
    load_half_down(x, src, left > SPAN ? left - SPAN : 0u, by_four);
    load_half_down(x + SPAN, src, left, by_four);
}

/* Passes the numbers of r that are the low words of u times v (low_product.h). */
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
        before = sums[BATCH_THREADS - 1]; /* for the number's next part */
        BARRIER();
    }
    rest = sum_of_parts(rest, s, items, m, sums);
    u32 bad = s.is_there && s.item == 0 && !low_product_is_right(rest, words, table);
    verdict_add(verdict, pass, bad, votes);
}

/* Returns -X^-J times r minus the other terms of a sum, at a work-item's spans. */
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

/* Passes the numbers of r that are the low words of the sum of u times v and, of two products,
 * u_2 times v_2, and of terms as in batch_check_sum.  Bit k of `negatives`: product k is
 * subtracted.  Numbers are as short as a group. */
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
