/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Exact conversion of fixed-point numbers from and to decimal text.  The fraction of a text is kept
 * in decimal digits, and multiplied by 2^32 for each word. */
#include <stdlib.h>
#include <string.h>

#include "lib/fixed/convert.h"

/* A number below 10^-LEAST rounds to 0: half a unit of 8 words is 2^-225 > 10^-68. */
enum { LEAST = 70, MOST_EXPONENT = 1000000000 };

/* The parts of a text. */
struct decimal {
    bool is_negative;
    const char *digits; /* the text's digits; the point may be among them */
    size_t length;
    long point; /* number of digits before the point; may be negative, or above length */
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Reads an exponent after the e.  Returns false if there is none.  Limits large ones to
 * MOST_EXPONENT. */
static bool read_exponent(const char *p, long *exponent) {
    const bool is_negative = *p == '-';
    long value = 0;
    p += *p == '-' || *p == '+';
    if (!is_digit(*p))
        return false;
    for (; is_digit(*p); p++)
        value = value < MOST_EXPONENT / 10 ? 10 * value + (*p - '0') : MOST_EXPONENT;
    *exponent = is_negative ? -value : value;
    return *p == '\0';
}

static bool read_decimal(struct decimal *d, const char *text) {
    size_t digits = 0;
    long exponent = 0;
    const char *p = text + (*text == '-' || *text == '+'), *point = NULL;
    d->is_negative = *text == '-';
    d->digits = p;
    for (; is_digit(*p) || (*p == '.' && !point); p++) {
        if (*p == '.')
            point = p;
        else
            digits++;
    }
    d->length = (size_t)(p - d->digits);
    if (digits == 0 || ((*p == 'e' || *p == 'E') ? !read_exponent(p + 1, &exponent) : *p != '\0'))
        return false;
    d->point = (point ? point - d->digits : (long)digits) + exponent;
    return true;
}

/* Reads the digits before the point as an integer.  Returns false if that is above 2^31. */
static bool read_integer(const struct decimal *d, uint32_t *integer) {
    uint64_t value = 0;
    size_t i = 0;
    for (long place = 0; place < d->point && (i < d->length || value); i++) {
        if (i < d->length && d->digits[i] == '.')
            continue;
        value = 10 * value + (i < d->length ? (unsigned)(d->digits[i] - '0') : 0);
        if (value > UINT32_C(1) << 31)
            return false;
        place++;
    }
    *integer = (uint32_t)value;
    return true;
}

/* Returns the digits after the point, one in each byte, and sets *count to their number.  Returns
 * NULL if memory is missing.  The caller frees them. */
static unsigned char *read_fraction(const struct decimal *d, size_t *count) {
    size_t zeros = d->point < 0 ? (size_t)-d->point : 0;
    long place = 0;
    zeros = zeros < LEAST ? zeros : LEAST;
    unsigned char *fraction = calloc(zeros + d->length + 1, 1);
    *count = zeros;
    for (size_t i = 0; i < d->length && fraction; i++)
        if (d->digits[i] != '.' && place++ >= d->point)
            fraction[(*count)++] = (unsigned char)(d->digits[i] - '0');
    return fraction;
}

/* Multiplies the decimal fraction by 2^32.  Returns the integer part. */
static uint32_t next_word(unsigned char *fraction, size_t count) {
    uint64_t carry = 0;
    for (size_t i = count; i-- > 0; carry /= 10) {
        carry += (uint64_t)fraction[i] << 32;
        fraction[i] = (unsigned char)(carry % 10);
    }
    return (uint32_t)carry;
}

/* Returns true if the fraction is above 1/2, or if it is 1/2 and `odd` is true. */
static bool rounds_up(const unsigned char *fraction, size_t count, bool odd) {
    if (count == 0 || fraction[0] != 5)
        return count > 0 && fraction[0] > 5;
    for (size_t i = 1; i < count; i++)
        if (fraction[i])
            return true;
    return odd;
}

enum convert_status convert_from_text(uint32_t *w, unsigned words, const char *text) {
    struct decimal d;
    size_t count;
    memset(w, 0, words * sizeof *w);
    if (!read_decimal(&d, text))
        return CONVERT_MALFORMED;
    if (!read_integer(&d, &w[words - 1]))
        return CONVERT_RANGE;
    unsigned char *fraction = read_fraction(&d, &count);
    if (!fraction)
        return CONVERT_NOMEM;
    for (unsigned i = words - 1; i-- > 0;)
        w[i] = next_word(fraction, count);
    if (rounds_up(fraction, count, w[0] & 1))
        convert_increment(w, words);
    free(fraction);
    return convert_sign(w, words, d.is_negative);
}

/* Multiplies {w, words} by 10.  Returns the overflow. */
static unsigned next_digit(uint32_t *w, unsigned words) {
    uint64_t carry = 0;
    for (unsigned i = 0; i < words; i++, carry >>= 32) {
        carry += (uint64_t)w[i] * 10;
        w[i] = (uint32_t)carry;
    }
    return (unsigned)carry;
}

/* Returns true if the fraction {w, words} is above 1/2, or if it is 1/2 and `odd` is true. */
static bool is_half(const uint32_t *w, unsigned words, bool odd) {
    uint32_t below = w[words - 1] & 0x7fffffff;
    for (unsigned i = 0; i + 1 < words; i++)
        below |= w[i];
    return w[words - 1] >> 31 && (below || odd);
}

/* Adds 1 in the last place of a string of decimal digits.  The first digit is 0, so it can take a
 * carry. */
static void increment_digits(char *first, char *last) {
    while (last > first && *last == '9')
        *last-- = '0';
    ++*last;
}

/* Writes the digits without a point: a 0, ten digits of the integer, and the fraction's digits. */
static void make_digits(char *digits, uint32_t *magnitude, unsigned words, unsigned count) {
    uint32_t integer = magnitude[words - 1];
    for (int i = 10; i >= 0; i--, integer /= 10)
        digits[i] = (char)('0' + integer % 10);
    for (unsigned i = 0; i < count; i++)
        digits[11 + i] = (char)('0' + next_digit(magnitude, words - 1));
    char *last = digits + 10 + count;
    if (is_half(magnitude, words - 1, *last & 1))
        increment_digits(digits, last);
}

/* Writes sign, integer without leading zeros, point, and fraction. */
static enum convert_status put_text(char *text, size_t size, bool is_negative, const char *digits,
                                    unsigned count) {
    size_t first = strspn(digits, "0"), length = 11 + (size_t)count;
    const bool has_sign = is_negative && first < length;
    first = first < 10 ? first : 10;
    size_t integer = 11 - first, needed = has_sign + integer + (count > 0) + count + 1;
    if (needed > size)
        return CONVERT_NOMEM;
    if (has_sign)
        *text++ = '-';
    memcpy(text, digits + first, integer);
    text += integer;
    if (count > 0)
        *text++ = '.';
    memcpy(text, digits + 11, count);
    text[count] = '\0';
    return CONVERT_OK;
}

enum convert_status convert_to_text(char *text, size_t size, const uint32_t *w, unsigned words,
                                    unsigned digits) {
    uint32_t magnitude[8];
    const bool is_negative = w[words - 1] >> 31;
    char *all = malloc((size_t)digits + 12);
    if (!all)
        return CONVERT_NOMEM;
    memcpy(magnitude, w, words * sizeof *w);
    if (is_negative)
        convert_negate(magnitude, words);
    make_digits(all, magnitude, words, digits);
    all[(size_t)digits + 11] = '\0';
    enum convert_status status = put_text(text, size, is_negative, all, digits);
    free(all);
    return status;
}
