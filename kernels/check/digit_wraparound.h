/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the wrapped part of a product by floating-point transforms, as
 * kernels/check/wraparound.h does for whole limbs.
 *
 * Operands have N balanced digits, p bits in all (kernels/common/balanced_digits.h). Digit k begins
 * at bit b_k = ceil(k p / N). The terms u_k v_j 2^(b_k + b_j) with k + j >= N wrap around. Their
 * sum is 2^p H. H is the sum of v_j a_(N-j), where a_(N-j) is 2^(b_j - p) times the sum of u_k
 * 2^b_k over k >= N - j. The lowest exponent of 2 in a_(N-j) is b_j - p + b_(N-j). This exponent is
 * 0 if j p / N is an integer, otherwise 1.
 *
 * A part of this computation has adjacent digits j of v, and the digits N - 1 - j of u. The part's
 * numbers are relative to the lowest bits of these digits. A product of residues a and b is a b /
 * R, with R = 2^64. */
#ifndef DIGIT_WRAPAROUND_H
#define DIGIT_WRAPAROUND_H

#include "kernels/check/wraparound.h"
#include "kernels/common/balanced_digits.h"

/* The state of a work-item, which reads its digits of u downwards and those of v upwards. */
struct digit_walk {
    /* Residues of the digits of u and of v that were read, divided by R = 2^64. Digits of u are
     * relative to the lowest digit of u, digits of v to the highest digit of v. */
    u64 u, v;
    /* the sum of v_j times the number that consists of the digits of u from digit N - j up */
    struct residue_sum sum;
};

/* Powers of 2 in Montgomery form: 2^bits and 2^-bits, where `bits` is that of struct digits. */
struct digit_powers {
    u64 up, down;
};

FN u64 residue_twice(u64 x, u64 m) {
    return residue_plus(x, x, m);
}

FN u64 residue_half(u64 x, u64 m) {
    return (x & 1 ? x + m : x) / 2;
}

/* Returns x, which may be negative, as a positive number modulo m. */
FN u64 residue_of_signed(s64 x, u64 m) {
    return (u64)x + (x < 0 ? 8 * m : 0);
}

/* Processes the next digit of each operand: digit i = N - 1 - j of u, with value u, and digit j of
 * v, with value v. `below` is digit j - 1. */
FN void digit_walk_next(struct digit_walk *w, struct digits d, s32 u, s32 v, struct digit i,
                        struct digit j, struct digit below, struct digit_powers p, u64 m,
                        u64 minv) {
    const u64 up = i.width > d.bits ? residue_twice(p.up, m) : p.up,
              down = below.width > d.bits ? residue_half(p.down, m) : p.down;
    w->sum = residue_sum_add(w->sum, residue_of_signed(j.excess > 0 ? 2 * (s64)v : v, m), w->u);
    w->sum.high -= w->sum.high < 2 * m ? 0 : 2 * m;
    w->u = residue_horner(w->u, up, residue_of_signed(u, m), m, minv);
    w->v = residue_horner(w->v, down, residue_of_signed(v, m), m, minv);
}

/* Returns 2^b in Montgomery form, where b is the number of bits from digit `low` up to digit
 * `high`. b is least_bits or least_bits + 1. `least` is 2^least_bits in Montgomery form. */
FN u64 digit_span(struct digit low, struct digit high, u64 least_bits, u64 least, u64 m) {
    return high.begin - low.begin > least_bits ? residue_twice(least, m) : least;
}

/* Returns floor(count p / N), where all N digits together have p bits. `count` adjacent digits have
 * this number of bits, or one more. */
FN u64 digit_least_bits(struct digits d, u64 count) {
    const struct digit at = digit_of(d, count);
    return at.begin - (at.excess > 0);
}

/* Joins two parts to one: `first`, and `second`, which begins at digit `middle` of v. up_u is 2 to
 * the number of bits of the second part's digits of u. up_v is 2 to the number of bits of the first
 * part's digits of v. Both are in Montgomery form. */
FN struct wraparound_part digit_join(struct wraparound_part first, struct wraparound_part second,
                                     struct digit middle, u64 up_u, u64 up_v, u64 m, u64 minv) {
    struct wraparound_part both;
    both.u = residue_plus(second.u, residue_product(first.u, up_u, m, minv), m);
    both.v = residue_plus(first.v, residue_product(second.v, up_v, m, minv), m);
    both.sum = residue_plus(first.sum, second.sum, m);
    u64 mixed = residue_product(first.u, second.v, m, minv);
    both.sum = residue_plus(both.sum, middle.excess > 0 ? residue_twice(mixed, m) : mixed, m);
    return both;
}

/* A range of adjacent digits of u and of v, and the residues of its part of the product. up_u and
 * up_v are 2^b in Montgomery form, where b is the count of bits of its digits of u, or of v. */
struct digit_range {
    struct wraparound_part part;
    u64 up_u, up_v;
};

/* Joins two adjacent ranges. `second` begins at digit `middle` of v; either may have no digits. */
FN struct digit_range digit_range_join(struct digit_range first, struct digit_range second,
                                       struct digit middle, u64 m, u64 minv) {
    struct digit_range both;
    both.part = digit_join(first.part, second.part, middle, second.up_u, first.up_v, m, minv);
    both.up_u = residue_product(first.up_u, second.up_u, m, minv);
    both.up_v = residue_product(first.up_v, second.up_v, m, minv);
    return both;
}

#endif
