/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares balanced digits (kernels/common/balanced_digits.h) with their definition, at the full
 * width of words and doubles. Tries all rests of short numbers, and some rests of the longest
 * numbers. Argument: 1 tries all these inputs; a larger number tries fewer. */
#include "kernels/common/balanced_digits.h"
#include "tests/proofs/enumerate.h"

#include <math.h>

static number step;

static number begin_of(number bits, number rest, number length, number k) {
    return k * bits + (k * rest + length - 1) / length;
}

static int is_digit(struct digit at, number bits, number rest, number length, number k) {
    number c = (k * rest + length - 1) / length, own = begin_of(bits, rest, length, k);
    return at.begin == own && at.excess == length * c - k * rest &&
           at.width == begin_of(bits, rest, length, k + 1) - own;
}

/* Calls visit for all rests and digits of short numbers, and for some rests and digits of long
 * numbers. */
static void each_digit(void visit(number bits, number rest, number length, number k)) {
    EACH(number, length, 1, step > 1 ? 80 : 400)
    EACH(number, rest, 0, length)
    for (number bits = 1; bits < 27; bits += 5)
        EACH(number, k, 0, length) visit(bits, rest, length, k);
    for (number length = 1 << 24; length >= 1 << 24; length--)
        for (number rest = 1; rest<length; rest += step> 1 ? 500009 : 50021)
            for (number k = rest % 13; k<length; k += step> 1 ? 30011 : 3001)
                visit(20, rest, length, k);
    for (number length = 3; length < 1 << 24; length = length * 2 + 1)
        for (number rest = 1; rest < length; rest = rest * 3 + 1)
            for (number k = length / 2; k < length; k = k + k / 99 + 1)
                visit(20, rest, length, k), visit(20, length - rest, length, k);
}

static void visit_all(number bits, number rest, number length, number k) {
    CHECK(digits_all_bits(digits_make(bits, rest, length)) == length * bits + rest, bits, rest,
          length);
}
static void visit_of(number bits, number rest, number length, number k) {
    CHECK(is_digit(digit_of(digits_make(bits, rest, length), k), bits, rest, length, k), rest,
          length, k);
}
static void visit_next(number bits, number rest, number length, number k) {
    struct digits d = digits_make(bits, rest, length);
    CHECK(is_digit(digit_next(d, digit_of(d, k)), bits, rest, length, k + 1), rest, length, k);
}
static void visit_previous(number bits, number rest, number length, number k) {
    struct digits d = digits_make(bits, rest, length);
    CHECK(is_digit(digit_previous(d, digit_of(d, k + 1)), bits, rest, length, k), rest, length, k);
}
static void visit_after(number bits, number rest, number length, number k) {
    struct digits d = digits_make(bits, rest, length);
    for (number n = 0; n <= length - k; n = n < 3                ? n + 1
                                            : length - k - n < 3 ? n + 1
                                                                 : n + length / 5 + 1)
        CHECK(is_digit(digit_after(d, digit_of(d, k), digit_of(d, n)), bits, rest, length, k + n),
              rest, length, k);
}
static void visit_from(number bits, number rest, number length, number k) {
    struct digits d = digits_make(bits, rest, length);
    number begin = begin_of(bits, rest, length, k),
           below = k ? begin_of(bits, rest, length, k - 1) + 1 : 0;
    for (number bit = below; bit <= begin; bit += begin > below + 3 ? begin - below : 1) {
        u64 at = 0;
        CHECK(is_digit(digit_from(d, bit, &at), bits, rest, length, k) && at == k, rest, length,
              bit);
    }
}

/* Returns the value of the balanced digit of `width` bits at bit `begin` of {x, words}, computed
 * bit by bit. */
static long value_right(const u32 *x, number words, number begin, number width) {
    long e = 0;
    EACH(number, i, 0, width)
    if (begin + i < 32 * words)
        e |= (long)(x[(begin + i) / 32] >> (begin + i) % 32 & 1) << i;
    long low =
        begin > 0 && begin - 1 < 32 * words ? x[(begin - 1) / 32] >> (begin - 1) % 32 & 1 : 0;
    return e - (e >> (width - 1) << width) + low;
}

int main(int argc, char **argv) {
    step = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    begin("digits_make");
    for (number length = 1; length <= 1 << 24; length += step > 1 ? 31 : 1) {
        struct digits d = digits_make(5, 0, length);
        CHECK(d.bits == 5 && d.rest == 0 && d.length == length &&
                  fabs(fma(d.per, (double)length, -1)) <= 0x1p-53,
              length, 0, 0);
    }
    end();
    begin("digits_all_bits");
    each_digit(visit_all);
    end();
    begin("balanced_digits.h:digit_of");
    each_digit(visit_of);
    end();
    begin("digit_next");
    each_digit(visit_next);
    end();
    begin("digit_previous");
    each_digit(visit_previous);
    end();
    begin("digit_after");
    each_digit(visit_after);
    end();
    begin("digit_from");
    each_digit(visit_from);
    end();
    begin("digit_from_word");
    EACH(number, i, 0, 1 << 17)
    for (u32 width = 1; width <= 30; width++) {
        /* The digit begins at bit 1 of x, and depends on bit 0, too. If it is long, only its
         * highest bits and bit 0 of x vary. */
        const u32 x = (u32)(width > 8 ? i << (width - 8) | (i & 1) : i);
        CHECK(digit_from_word(x, width) == value_right(&x, 1, 1, width), i, width, 0);
    }
    end();
    begin("digit_value");
    EACH(number, i, 0, 1 << 16)
    EACH(number, words, 0, 4) for (number begin = i % 7; begin < 100; begin += 1 + 6 * (step > 1)) {
        /* The digit's value depends on the bits of x from bit `begin` on, and on the bit below. So
         * the 16 bits of i are stored from bit begin - 1 on. All other bits are pseudo-random. */
        u32 x[4] = {0x9e3779b1u * (u32)i, 0x85ebca77u * (u32)i, 0xc2b2ae3du * (u32)i, 0};
        EACH(number, b, 0, 16)
        if (begin + b - 1 < 96)
            x[(begin + b - 1) / 32] = (x[(begin + b - 1) / 32] & ~(1u << (begin + b - 1) % 32)) |
                                      (u32)(i >> b & 1) << (begin + b - 1) % 32;
        for (u32 width = 1 + i % 3; width < 27; width += 3) {
            struct digit at = {begin, width, 0};
            CHECK(digit_value(x, words, at) == value_right(x, words, begin, width), i, begin,
                  width);
        }
        if (step > 1 && i % 16)
            break;
    }
    end();
    return 0;
}
