/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers modulo B^P + 1, where B = 2^24 and P is a power of two. A number has P redundant digits
 * (redundant.h). This file multiplies numbers by powers of the square root of two.
 *
 * 2^(12 P) is a square root of -1, so 2^(18 P) - 2^(6 P) is a square root of 2. The product by an
 * odd power of this root is the difference of two shifts, which differ only in whole digits: 3P/4
 * and P/4. The order of the root is 96 P. Exponents of the root count half bits, modulo 96 P.
 *
 * Bounds. If digits x have |x| <= SSA_LOADED, the shifted digits y have |y| <= SSA_SETTLED. To show
 * this, let t = x 2^s with s <= 23, or t = (x - x') 2^s if the root of two is a factor. Then |t| <
 * 2^55. A digit y is the sum of three components (redundant.h) of such t, so
 *     |y| <= B/2 + B/2 + floor(|t| / B^2 + 1/2) <= B + 2^7.
 * For s = 0 two components suffice. */
#ifndef SSA_SHIFT_H
#define SSA_SHIFT_H

#include "kernels/sums/redundant.h"

#if DIGIT_BITS != 24
#error "the roots are shifts for B = 2^24"
#endif
#define SSA_SETTLED (DIGIT_BASE + 128)
/* Bound of the sums of 2^5 resolved digits; 5 is the most levels of a pass. */
#define SSA_LOADED (32 * SSA_SETTLED)

/* A factor B^words 2^bits with bits < 24; if root2 is 1, it is multiplied by the square root of
 * two. */
struct shift {
    u32 words, bits, root2;
};

/* Returns the shift that multiplies by a power of the square root of two. The exponent half_bits is
 * below 96 P. */
FN struct shift shift_of(u32 half_bits) {
    struct shift t;
    t.words = half_bits / 48;
    t.bits = half_bits % 48 / 2;
    t.root2 = half_bits & 1;
    return t;
}

/* A coefficient that is extracted from an operand: `bits` bits of {src, words} from bit `first` of
 * its first word. */
struct cut {
    GLOBAL const u32 *src;
    u32 words, first, bits;
};

/* Returns coefficient i of the operand {src, words}: c bits from bit i c, or fewer bits at the
 * end. */
FN struct cut cut_of(GLOBAL const u32 *src, u64 words, u32 i, u32 c) {
    u64 begin = (u64)i * c, left = 32 * words > begin ? 32 * words - begin : 0;
    struct cut x = {src + (begin >> 5), 0, (u32)begin & 31, left < c ? (u32)left : c};
    x.words = (x.first + x.bits + 31) >> 5;
    return x;
}

FN s32 digit_cut(struct cut x, u32 w) {
    u32 at = DIGIT_BITS * w, bit = x.first + at, word = bit >> 5;
    u32 left = at < x.bits ? x.bits - at : 0;
    u64 low = left > 0 ? x.src[word] : 0, high = word + 1 < x.words ? x.src[word + 1] : 0;
    u32 d = (u32)((high << 32 | low) >> (bit & 31));
    return (s32)(d & ((1u << (left < DIGIT_BITS ? left : DIGIT_BITS)) - 1u));
}

FN s32 digit_stored(GLOBAL const s32 *x, u32 w) {
    return x[w];
}

/* Returns x / 2^(24 - bits), rounded to the nearest integer, for |x| < 2^31 - 2^23. */
FN s32 rest_of_word(s32 x, u32 bits) {
    return (x + (1 << (23 - bits))) >> (24 - bits);
}

/* Returns digit c, negated if its place v modulo 2P is P or more: there the number wraps around,
 * and B^P is -1. */
FN s32 negacyclic(s32 c, u32 v, u32 log_p) {
    return v >> log_p & 1 ? -c : c;
}

/* Kinds of shifts: by whole digits, by whole bits, or by half bits (the exponent counts half bits).
 * SHIFTS_OF(n) is the kind for exponents that are multiples of 3 << n. */
enum shifts { BY_WORDS, BY_BITS, BY_HALVES };
#define SHIFTS_OF(n) ((n) >= 4 ? BY_WORDS : (n) >= 1 ? BY_BITS : BY_HALVES)

/* Returns digit w of x times a shift; `digit` reads the digits of x. Digit v of the product of x by
 * B^n is digit v - n of x, negated once for each time that this place wraps around: B^P is -1. A
 * digit is split into components before it is negated. The order matters: if the lowest component
 * is -B/2, the components of -t are not the negated components of t. */
#define SSA_SHIFTED(name, type, digit)                                                             \
    /* Returns digit v modulo P of (x 2^(18P) - x 2^(6P)) 2^bits, without the sign of SSA_SHIFTED. \
     * 2^(18P) - 2^(6P) is the square root of two. */                                              \
    FN s64 name##_root2(type x, u32 v, u32 bits, u32 log_p) {                                      \
        u32 last = (1u << log_p) - 1u, i = v & last;                                               \
        u32 p = i - (3u << (log_p - 2)), q = i - (1u << (log_p - 2));                              \
        s64 d = negacyclic(digit(x, p & last), p, log_p);                                          \
        return (d - negacyclic(digit(x, q & last), q, log_p)) * (1 << bits);                       \
    }                                                                                              \
    FN s32 name(type x, u32 w, struct shift t, u32 log_p, enum shifts kind) {                      \
        u32 v = w - t.words, last = (1u << log_p) - 1u;                                            \
        if (kind == BY_HALVES && t.root2) {                                                        \
            s64 t0 = name##_root2(x, v, t.bits, log_p);                                            \
            s64 t1 = name##_root2(x, v - 1, t.bits, log_p);                                        \
            s64 t2 = name##_root2(x, v - 2, t.bits, log_p);                                        \
            return negacyclic(digit_low(t0), v, log_p) +                                           \
                   negacyclic(digit_low(digit_rest(t1)), v - 1, log_p) +                           \
                   negacyclic((s32)digit_rest2(t2), v - 2, log_p);                                 \
        }                                                                                          \
        if (kind == BY_WORDS)                                                                      \
            return negacyclic(digit_low(digit(x, v & last)), v, log_p) +                           \
                   negacyclic(rest_of_word(digit(x, (v - 1) & last), 0), v - 1, log_p);            \
        s32 below = rest_of_word(digit(x, (v - 1) & last), t.bits);                                \
        s32 below2 = rest_of_word(digit(x, (v - 2) & last), t.bits);                               \
        return negacyclic(digit_low((u32)digit(x, v & last) << t.bits), v, log_p) +                \
               negacyclic(digit_low(below), v - 1, log_p) +                                        \
               negacyclic(rest_of_word(below2, 0), v - 2, log_p);                                  \
    }

SSA_SHIFTED(stored_shifted, GLOBAL const s32 *, digit_stored)
SSA_SHIFTED(cut_shifted, struct cut, digit_cut)

#endif
