/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks that r is the low half of a product u v. Batches check their low products in this way,
 * without computing the high half.
 *
 * The equation. u, v and r have n words to the base y = 2^32. Let T be the sum of u_i v_j y^(i+j)
 * over i + j < n. If r is right, T = r + C y^n, where C is the carry out of the low half. The
 * check computes C = y^-n (T - r) modulo an odd m < 2^61 (kernels/check/residue.h). r passes if C
 * is a possible carry.
 *
 * Possible carries. As a real number, y^-n T consists mainly of the products with i + j = n - 1.
 * These products are subtracted from C, rounded down for each half of a span. The rest of C is at
 * least 0, and less than n plus the number of halves. So few values of C are possible.
 *
 * The sum. Let s_k = y^-k (v_0 + ... + v_(k-1) y^(k-1)), so that s_(k+1) = (s_k + v_k) / y. Then
 * y^-n T is the sum of u_i s_(n-i) modulo m.
 *
 * Spans. The sum is computed in spans of 16 words; let X = y^16. Span J has the words of v from
 * word 16 J, and the words of u and r from n - 16 (J + 1). Words at negative places are zeros.
 * These numbers belong to a span:
 * - V_J: s_16, computed from the span's words of v alone
 * - P_J: the sum of V_K X^(K+1) over K < J; at the beginning of span J, s is X^-J P_J
 * - U_J and R_J: the span's words of u and r as numbers, divided by X
 * - inside_J: the sum of u_i s_k over the span, with s_k computed from the span's words alone
 *
 * Then y^-n (T - r) is the sum over J of inside_J + (U_J P_J - R_J) X^-J. The code computes -s,
 * -V, -P, -U, -R and -inside, so that it only adds. */
#ifndef LOW_PRODUCT_H
#define LOW_PRODUCT_H

#include "kernels/check/residue.h"

#define LOW_SPAN 16

struct low_span {
    u64 v; /* the V_J of the file's first comment, at most m + 2^30 */
    /* The sum inside_J of the file's first comment, without the products of the span that are
     * subtracted from the carry C. `high` is below 2^35. */
    struct residue_sum inside;
};

/* Updates V_J and inside_J in `span` (the file's first comment) by half of the span's words: 8
 * words of v, and the 8 words of u with which they are paired. */
FN struct low_span low_half(struct low_span span, const u32 *u, const u32 *v, u64 m, u64 minv) {
    u32 low[3] = {0, 0, 0}, column[3] = {0, 0, 0};
    u64 high = 0; /* fits 64 bits: a sum of 8 products, each of a word and a number up to 2^29 */
    UNROLL
    for (int k = 0; k < LOW_SPAN / 2; k++) {
        u32 x = u[LOW_SPAN / 2 - 1 - k];
        span.v = residue_down(span.v, v[k], m, minv);
        MULTIPLY_ADD(low, x, (u32)span.v);
        high += (u64)x * (u32)(span.v >> 32);
        MULTIPLY_ADD(column, x, v[k]);
    }
    struct residue_sum sum = span.inside;
    sum = residue_sum_plus(sum, (u64)low[1] << 32 | low[0], low[2]);
    sum = residue_sum_plus(sum, high << 32, high >> 32);
    span.inside = residue_sum_plus(sum, (u64)column[2] << 32 | column[1], 0);
    return span;
}

/* Computes the values v and `inside` of one span of 16 words (V_J and inside_J in this file's
 * first comment). u and v are the span's words of both factors. */
FN struct low_span low_span(const u32 *u, const u32 *v, u64 m, u64 minv) {
    struct low_span span = {0, {0, 0}};
    span = low_half(span, u + LOW_SPAN / 2, v, m, minv);
    return low_half(span, u, v + LOW_SPAN / 2, m, minv);
}

/* Returns the term that span J = index adds to the sum in the file's first comment, divided by
 * 2^64; the term may be negated. The result is below m. p is 2^64 P_J of that comment, below m.
 * The argument r is residue_span_down's result for the span's words of the product. */
FN u64 low_span_less(struct low_span span, const u32 *u, u64 r, u32 index, u64 p,
                     GLOBAL const u64 *table) {
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    struct residue_sum sum = {0, r};
    sum = residue_sum_add(sum, residue_span_down(u, m, minv), p);
    /* No sum overflows: sum.high is below 1.2 m here, so `cross` is below 2.2 m, and the next
     * sum.high below 0.4 m. */
    u64 cross = residue_reduce(sum, m, minv);
    sum = residue_sum_add(span.inside, cross, table[RESIDUE_DOWN + index]);
    u64 term = residue_reduce(sum, m, minv);
    return term < m ? term : term - m;
}

/* Returns the term of span J in the sum over J that the file's first comment explains. J is
 * `index`; r has the result's words that are paired with the span. */
FN u64 low_span_term(struct low_span span, const u32 *u, const u32 *r, u32 index, u64 p,
                     GLOBAL const u64 *table) {
    u64 down = residue_span_down(r, table[RESIDUE_M], table[RESIDUE_MINV]);
    return low_span_less(span, u, down, index, p, table);
}

/* Checks a result r that should be the low `words` words of u v. Returns 1 if r can be right,
 * otherwise 0. `sum` is the sum of all spans' terms (low_span_term). If r is right, `sum` is -C,
 * where C is a possible carry out of the low half. */
FN int low_product_is_right(u64 sum, u32 words, GLOBAL const u64 *table) {
    u64 m = table[RESIDUE_M];
    u64 left = residue_product(sum, table[RESIDUE_HIGH], m, table[RESIDUE_MINV]); /* -C */
    return left == 0 || m - left < 2 * words;
}

/* Returns 1 if r can be a sum of `products` low products and of other numbers. `negatives` of the
 * products are subtracted. `sum` is the sum of all spans' terms, computed from r minus the other
 * numbers. It yields, modulo m, the total carry out of `words` words: the carries C of the
 * products and the carries of the additions. This total must be possible, with at most
 * LOW_CARRIES carries of additions. */
#define LOW_CARRIES 8
FN int low_sum_is_right(u64 sum, u32 words, u32 products, u32 negatives, GLOBAL const u64 *table) {
    u64 m = table[RESIDUE_M];
    u64 left = residue_product(sum, table[RESIDUE_HIGH], m, table[RESIDUE_MINV]);
    u64 most = residue_plus(left == 0 ? 0 : m - left, 2 * words * negatives + LOW_CARRIES, m);
    return most <= 2 * words * products + 2 * LOW_CARRIES;
}

#endif
