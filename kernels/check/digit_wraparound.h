/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the wrapped part of a product by floating-point transforms, as
 * kernels/check/wraparound.h does for whole limbs.
 *
 * The wrapped part. Operands u and v have N balanced digits, p bits in all
 * (kernels/common/balanced_digits.h).
 *
 * - Digit k begins at bit b_k = ceil(k p / N).
 * - The terms u_k v_j 2^(b_k + b_j) with k + j >= N wrap around. Their sum is 2^p H.
 * - H is the sum of v_j a_(N-j) over all j.
 * - a_(N-j) is 2^(b_j - p) times the sum of u_k 2^b_k over k >= N - j. The lowest exponent of 2 in
 *   this number is b_j - p + b_(N-j), which is 0 if j p / N is an integer, otherwise 1.
 *
 * Pairs. Digits 2 k and 2 k + 1 form a pair. The pairs are the N / 2 balanced digits of the same
 * number. If k + j = N and k and j are odd, the term of these digits wraps around, but the product
 * of their pairs does not. The kernel computes the wrapped part of the pairs' product modulo m, and
 * adds such terms, which are short integers.
 *
 * Parts. A part of this computation has adjacent digits j of v, and the digits N - 1 - j of u. The
 * part's numbers are relative to the lowest bits of these digits. A product of residues a and b is
 * a b / R, with R = 2^64. If u = v, the parts of the digits j and of the digits N - 1 - j have the
 * same terms. So half of the parts suffice. */
#ifndef DIGIT_WRAPAROUND_H
#define DIGIT_WRAPAROUND_H

#include "kernels/check/wraparound.h"
#include "kernels/common/balanced_digits.h"

/* Returns the digits whose digit k is the pair of digits 2 k and 2 k + 1 of d. */
FN struct digits digits_pairs(struct digits d) {
    const u64 pairs = d.length / 2;
    return digits_make(2 * d.bits + (d.rest >= pairs),
                       (u32)(d.rest >= pairs ? d.rest - pairs : d.rest), pairs);
}

/* Does the same as digit_from_word, for at most 62 bits. */
FN s64 digit_from_limb(u64 bits, u32 width) {
    return ((s64)(bits << (63 - width)) >> (64 - width)) + (s64)(bits & 1);
}

/* Reads pairs of an operand upwards or downwards. */
struct pair_reader {
    GLOBAL const u32 *x;
    u64 limbs;         /* of x */
    u64 at, low, high; /* limbs at - 1 and at, which contain the pair and the bit below */
    struct digit pair; /* the pair as a digit of digits_pairs */
    u32 place;         /* the place in `low` of the bit below the pair */
};

/* Returns a reader at `pair` of {x, words}; x is aligned to two words, and `words` is even. */
FN struct pair_reader reader_of(GLOBAL const u32 *x, u64 words, struct digit pair) {
    struct pair_reader r;
    r.x = x, r.limbs = words / 2, r.pair = pair;
    r.at = (pair.begin + 63) / 64, r.place = (u32)(pair.begin + 63) % 64;
    r.low = limb(x, r.limbs, r.at - 1), r.high = limb(x, r.limbs, r.at);
    return r;
}

/* Move the reader to the next pair above, or below. */
FN void reader_up(struct pair_reader *r, struct digits pairs) {
    r->place += r->pair.width;
    r->pair = digit_next(pairs, r->pair);
    if (r->place >= 64) {
        r->place -= 64, r->at++;
        r->low = r->high, r->high = limb(r->x, r->limbs, r->at);
    }
}
FN void reader_down(struct pair_reader *r, struct digits pairs) {
    r->pair = digit_previous(pairs, r->pair);
    if (r->place < r->pair.width) {
        r->place += 64, r->at--;
        r->high = r->low, r->low = limb(r->x, r->limbs, r->at - 1);
    }
    r->place -= r->pair.width;
}

/* The values of a pair of digits: of the pair, and of its upper digit. */
struct pair_value {
    s64 both;
    s32 upper;
};

/* Returns the values of the reader's pair. d are the single digits. */
FN struct pair_value reader_value(const struct pair_reader *r, struct digits d) {
    const u32 lower = d.bits + (2 * r->pair.excess < d.rest);
    const u64 bits = r->low >> r->place | r->high << 1 << (63 - r->place);
    struct pair_value value;
    value.both = digit_from_limb(bits, r->pair.width);
    value.upper = digit_from_word((u32)(bits >> lower), r->pair.width - lower);
    return value;
}

/* The state of a work-item, which reads its pairs of digits of u downwards and those of v
 * upwards. */
struct digit_walk {
    /* Residues, below 5 m, of the numbers that consist of the pairs of u and of the pairs of v that
     * were read. The unit of the first number is the lowest pair of u that was read. The unit of
     * the second number is the highest pair of v that was read. */
    u64 u, v;
    /* The sum of products, one for each pair j of v: pair j times the number that consists of the
     * pairs of u from pair N / 2 - j up. The sum may be negative. It is below 2^126, because a
     * work-item has at most 2^7 pairs of 50 bits or 2^14 pairs of 48 bits. A pair of v may count
     * twice. */
    struct residue_sum sum;
    /* the sum of the products of digit k of u and digit j of v, for k + j = N and odd j. Its size
     * is below 2^62, since a work-item has few pairs */
    s64 diagonal;
    u32 below; /* the width of the last pair of v */
};

/* Factors modulo m: 2^bits and 2^-bits, for the `bits` of the pairs' struct digits. */
struct digit_powers {
    struct residue_factor up, down;
};

FN u64 residue_twice(u64 x, u64 m) {
    return residue_plus(x, x, m);
}

FN u64 residue_half(u64 x, u64 m) {
    return (x & 1 ? x + m : x) / 2;
}

/* Returns x modulo m as a positive number, for -m < x < m. */
FN u64 residue_of_signed(s64 x, u64 m) {
    return (u64)x + (x < 0 ? m : 0);
}

/* Returns x / 2^width modulo m, not fully reduced, for the width of a pair. x is below 5 m, the
 * result below 2 m. */
FN u64 digit_walk_down(u64 x, u32 width, struct digits pairs, struct digit_powers p, u64 m) {
    const u64 down = residue_times(x, p.down, m);
    return width > pairs.bits ? residue_half(down, m) : down;
}

/* Processes the pairs at which the two readers are: pair j of v, and pair N / 2 - 1 - j of u. d
 * describes the single digits, and `pairs` the pairs. */
FN void digit_walk_next(struct digit_walk *w, struct digits d, struct digits pairs,
                        const struct pair_reader *u, const struct pair_reader *v,
                        struct digit_powers p, u64 m) {
    const struct pair_value x = reader_value(u, d), y = reader_value(v, d);
    const s64 term = (s64)x.upper * y.upper, factor = v->pair.excess > 0 ? 2 * y.both : y.both;
    w->diagonal += 2 * v->pair.excess == d.rest ? term : 2 * term;
    w->sum = residue_sum_add(w->sum, (u64)factor, w->u);
    w->sum.high -= factor < 0 ? w->u : 0;
    w->u = (residue_times(w->u, p.up, m) << (u->pair.width > pairs.bits)) +
           residue_of_signed(x.both, m);
    w->v = digit_walk_down(w->v, w->below, pairs, p, m) + residue_of_signed(y.both, m);
    w->below = v->pair.width;
}

/* Returns the sum of all terms, divided by R^2. */
FN u64 digit_walk_sum(const struct digit_walk *w, u64 m, u64 minv) {
    struct residue_sum sum =
        residue_sum_plus(w->sum, (u64)w->diagonal, w->diagonal < 0 ? ~(u64)0 : 0);
    sum.high += sum.high >> 63 ? 4 * m : 0; /* not negative, since m > 2^60 */
    return residue_product(residue_reduce(sum, m, minv), 1, m, minv);
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

/* A range of adjacent digits of v, and the digits of u with which they are multiplied.
 *
 * - part: the residues of this part of the product.
 * - up_u, up_v: 2^b in Montgomery form, where b is the number of bits of the range's digits of u,
 *   or of v.
 * - doubles: 1 if the excess (kernels/common/balanced_digits.h) of the range's lowest digit of v is
 *   not 0. */
struct digit_range {
    struct wraparound_part part;
    u64 up_u, up_v;
    u32 doubles;
};

/* Returns the range of `count` digits of v from digit `at`. `bits` is digit_least_bits(d, count),
 * `least` is 2^bits in Montgomery form. */
FN struct digit_range digit_range_of(struct wraparound_part part, struct digits d, u64 at,
                                     u64 count, u64 bits, u64 least, u64 m) {
    const struct digit begin = digit_of(d, at);
    struct digit_range r;
    r.part = part;
    r.up_u =
        digit_span(digit_of(d, d.length - at - count), digit_of(d, d.length - at), bits, least, m);
    r.up_v = digit_span(begin, digit_of(d, at + count), bits, least, m);
    r.doubles = begin.excess > 0;
    return r;
}

/* Joins two adjacent ranges; `second` has the higher digits of v. */
FN struct digit_range digit_range_join(struct digit_range first, struct digit_range second, u64 m,
                                       u64 minv) {
    const struct wraparound_part a = first.part, b = second.part;
    const u64 mixed = residue_product(a.u, b.v, m, minv);
    struct digit_range both;
    both.part.u = residue_plus(b.u, residue_product(a.u, second.up_u, m, minv), m);
    both.part.v = residue_plus(a.v, residue_product(b.v, first.up_v, m, minv), m);
    both.part.sum = residue_plus(a.sum, b.sum, m);
    both.part.sum =
        residue_plus(both.part.sum, second.doubles ? residue_twice(mixed, m) : mixed, m);
    both.up_u = residue_product(first.up_u, second.up_u, m, minv);
    both.up_v = residue_product(first.up_v, second.up_v, m, minv);
    both.doubles = first.doubles;
    return both;
}

/* For a square, the parts of the digits j and of the digits N - 1 - j have the same terms. From the
 * range of some digits j, this function returns the range of the digits N - 1 - j. N is the number
 * of all digits, and j < N / 2. p is the number of bits of all digits; `high` is 2^64 in Montgomery
 * form. */
FN struct digit_range digit_range_mirror(struct digit_range r, u64 p, u64 high, u64 m, u64 minv) {
    struct digit_range mirror;
    mirror.part.u = residue_product(r.part.v, 1, m, minv);
    mirror.part.v = residue_product(r.part.u, high, m, minv);
    mirror.part.sum = r.part.sum;
    mirror.up_u = r.up_v, mirror.up_v = r.up_u;
    mirror.doubles = (u32)p % 2;
    return mirror;
}

#endif
