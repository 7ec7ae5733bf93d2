/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Bases of texts. Nothing here calls GMP, because possibly libgmp is not loaded yet. */
#include "lib/algorithms/text/text_base.h"

#include <gmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* FRACTION: limbs after the binary point of numbers in find_logarithm. */
enum { FRACTION = 4, MOST_BASE = 62 };

__extension__ typedef unsigned __int128 two_limbs;

int text_base_of(int base, const char **characters) {
    static const char small[] = "0123456789abcdefghijklmnopqrstuvwxyz",
                      large[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    int magnitude = base < 0 ? -base : base;
    *characters = base > 36 || base < -1 ? large : small;
    if (base > MOST_BASE || base < -36)
        return 0;
    return magnitude < 2 ? 10 : magnitude;
}

/* Returns a word of eight bytes that all equal `byte`. */
static uint64_t eight(unsigned char byte) {
    return byte * UINT64_C(0x0101010101010101);
}

/* Writes the characters of digits in base 10 or below, eight at a time.  Returns how many it has
 * written; the caller writes the rest. */
static size_t decimal_characters(char *s, const unsigned char *value, size_t n) {
    size_t i = 0;
    for (; n - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, value + i, sizeof word);
        word += eight('0');
        memcpy(s + i, &word, sizeof word);
    }
    return i;
}

/* Reads decimal digits, eight at a time, until eight bytes contain another character. Returns how
 * many it has read. XOR with '0' yields a digit's value. Adding 0x80 - 10 sets the highest bit of a
 * byte from 10 to 0x7f, without a carry. */
static size_t decimal_values(unsigned char *value, const char *s, size_t n) {
    size_t i = 0;
    for (; n - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, s + i, sizeof word);
        word ^= eight('0');
        if (((word + eight(0x80 - 10)) | word) & eight(0x80))
            break;
        memcpy(value + i, &word, sizeof word);
    }
    return i;
}

void text_base_characters(char *s, const unsigned char *value, size_t n, int base,
                          const char *characters) {
    for (size_t i = base <= 10 ? decimal_characters(s, value, n) : 0; i < n; i++)
        s[i] = characters[value[i]];
}

int text_base_value(unsigned char c, int base) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    if (c >= 'a' && c <= 'z')
        return c - 'a' + (base > 36 ? 36 : 10);
    return 64;
}

size_t text_base_values(unsigned char *value, const char *s, size_t n, int base) {
    size_t i = base == 10 ? decimal_values(value, s, n) : 0;
    for (; i < n; i++) {
        int digit = text_base_value((unsigned char)s[i], base);
        if (digit >= base)
            break;
        value[i] = (unsigned char)digit;
    }
    return i;
}

/* x *= x, for numbers of FRACTION limbs after the binary point and one before. */
static void square(mp_limb_t *x) {
    mp_limb_t t[2 * FRACTION + 2] = {0};
    for (int i = 0; i <= FRACTION; i++) {
        mp_limb_t carry = 0;
        for (int j = 0; j <= FRACTION; j++) {
            two_limbs sum = (two_limbs)x[i] * x[j] + t[i + j] + carry;
            t[i + j] = (mp_limb_t)sum;
            carry = (mp_limb_t)(sum >> GMP_NUMB_BITS);
        }
        t[i + FRACTION + 1] = carry;
    }
    memcpy(x, t + FRACTION, (FRACTION + 1) * sizeof *x);
}

static void divide(mp_limb_t *x, mp_limb_t by) {
    mp_limb_t rest = 0;
    for (int i = FRACTION; i >= 0; i--) {
        two_limbs part = (two_limbs)rest << GMP_NUMB_BITS | x[i];
        x[i] = (mp_limb_t)(part / by);
        rest = (mp_limb_t)(part % by);
    }
}

/* Returns the largest integer below 2^64 times the logarithm of 2 in this base. Each squaring
 * yields a bit: 1 if the square is not below the base. */
static mp_limb_t find_logarithm(int base) {
    mp_limb_t x[FRACTION + 1] = {0}, bits = 0;
    if ((base & (base - 1)) == 0)
        return ~(mp_limb_t)0 / (mp_limb_t)__builtin_ctz((unsigned)base);
    x[FRACTION] = 2;
    for (int i = 0; i < GMP_NUMB_BITS; i++) {
        square(x);
        bits = bits << 1 | (x[FRACTION] >= (mp_limb_t)base);
        if (bits & 1)
            divide(x, (mp_limb_t)base);
    }
    return bits;
}

/* Returns find_logarithm(base), computed at the first call for each base. */
static mp_limb_t logarithm(int base) {
    static _Atomic mp_limb_t found[MOST_BASE + 1];
    mp_limb_t x = atomic_load_explicit(&found[base], memory_order_relaxed);
    if (x == 0) {
        x = find_logarithm(base);
        atomic_store_explicit(&found[base], x, memory_order_relaxed);
    }
    return x;
}

static mp_limb_t high_product(mp_limb_t x, mp_limb_t y) {
    return (mp_limb_t)((two_limbs)x * y >> GMP_NUMB_BITS);
}

size_t text_base_digits(int base, size_t limbs) {
    return high_product(logarithm(base), limbs * GMP_NUMB_BITS);
}

/* Multiplies `digits` by log2(base) / 8, and the product by 8, because log2(base) has up to three
 * bits before the binary point. */
size_t text_base_limbs(int base, size_t digits) {
    two_limbs most = ((two_limbs)1 << 125) - 1;
    mp_limb_t inverse = (mp_limb_t)(most / ((two_limbs)logarithm(base) + 1));
    return 8 * high_product(inverse, digits) / GMP_NUMB_BITS + 2;
}
