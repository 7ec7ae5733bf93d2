/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Plans how the digits of a text are cut into leaves (parts of equal length) for a radix
 * conversion. */
#include "lib/base/ceil_div.h"
#include "lib/calc/calc_radix.h"

__extension__ typedef unsigned __int128 wide;

enum { LOG_UNIT = 56, LEAF_BITS = 32 * RADIX_LEAF_WORDS };

/* Returns log2(x / 2^63) for x >= 2^63, in units of 2^-56. The result is rounded down, and too
 * small by less than two units. Each squaring yields one bit. Truncating the square to 64 bits
 * lowers all further bits together by less than 2^-62. */
static uint64_t log_of(uint64_t x) {
    uint64_t log = 0;
    for (int i = 0; i < LOG_UNIT; i++) {
        wide square = (wide)x * x;
        uint64_t bit = (uint64_t)(square >> 127);
        log = log << 1 | bit;
        x = (uint64_t)(square >> (63 + bit));
    }
    return log;
}

static uint64_t log_of_base(unsigned base) {
    unsigned zeros = (unsigned)__builtin_clzl(base);
    return (uint64_t)(63 - zeros) << LOG_UNIT | log_of((uint64_t)base << zeros);
}

static uint32_t digits_of_word(unsigned base) {
    uint64_t power = base;
    uint32_t n = 1;
    for (; power * base >> 32 == 0; power *= base)
        n++;
    return n;
}

struct calc_cut calc_cut_plan(unsigned base, uint64_t digits) {
    struct calc_cut x = {.base = base, .per = digits_of_word(base), .log = log_of_base(base)};
    uint64_t most = (uint64_t)((((wide)LEAF_BITS << LOG_UNIT) - 1) / (x.log + 2));
    while (ceil_div(digits, (uint64_t)1 << x.levels) > most)
        x.levels++;
    x.digits = (uint32_t)ceil_div(digits, (uint64_t)1 << x.levels);
    x.chunks = (uint32_t)ceil_div(x.digits, x.per);
    x.head = x.digits - (x.chunks - 1) * x.per;
    return x;
}

uint64_t calc_cut_bits(const struct calc_cut *x, uint64_t digits) {
    return (uint64_t)((wide)digits * (x->log + 2) >> LOG_UNIT) + 1;
}

uint64_t calc_cut_words(const struct calc_cut *x, unsigned level) {
    return ceil_div(calc_cut_bits(x, (uint64_t)x->digits << level), 32);
}

void calc_cut_digits(unsigned base, uint64_t top, uint64_t bits, uint64_t *least, uint64_t *most) {
    uint64_t log = log_of_base(base);
    wide number = ((wide)(bits - 1) << LOG_UNIT) + log_of(top);
    *least = (uint64_t)(number / (log + 2)) + 1;
    /* A number of `bits` bits whose highest 64 bits are `top` is less than (top + 1) 2^(bits -
     * 64). The binary logarithm of this bound, in units of 2^-56, is less than number + 3. */
    *most = (uint64_t)((number + 3) / log) + 1;
}

uint64_t calc_radix_fraction_words(const struct calc_cut *x, unsigned level) {
    uint64_t words = calc_cut_words(x, 0) + 1;
    for (unsigned j = 0; j < level; j++)
        words += calc_cut_words(x, j);
    return words;
}

uint64_t calc_radix_reciprocal_quads(const struct calc_cut *x) {
    return calc_words(32 * calc_radix_fraction_words(x, x->levels)) / CALC_QUAD;
}
