/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fixed-point numbers from and to doubles and decimal text, on the host.  A number {w, words} has
 * 4, 6 or 8 words of 32 bits as kernels/fixed/fixed.h says: from -2^31 to below 2^31, in units of
 * 2^(-32 (words - 1)). */
#ifndef MPGPU_FIXED_CONVERT_H
#define MPGPU_FIXED_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum convert_status {
    CONVERT_OK = 0,
    CONVERT_MALFORMED, /* no number */
    CONVERT_RANGE,     /* below -2^31, at least 2^31 */
    CONVERT_NOMEM,     /* no memory, or no room for the text */
};

/* The number nearest to d; of two the even one. */
enum convert_status convert_from_double(uint32_t *w, unsigned words, double d);

/* The double nearest to the number; of two the even one. */
double convert_to_double(const uint32_t *w, unsigned words);

/* The number nearest to a decimal of any length, of two the even one.  The text is all of:
 * a sign, digits with a point before, in or behind them, and e with a decimal exponent; digits are
 * needed, the rest may be left out. */
enum convert_status convert_from_text(uint32_t *w, unsigned words, const char *text);

/* A decimal with so many digits behind the point, nearest to the number; of two the even one.
 * 32 (words - 1) digits are exact.  No point if there are no digits behind it; no sign before 0.
 * `size` bytes of room, 14 + digits are enough; the text ends with a 0. */
enum convert_status convert_to_text(char *text, size_t size, const uint32_t *w, unsigned words,
                                    unsigned digits);

/* w = -w modulo 2^32. */
void convert_negate(uint32_t *w, unsigned words);

/* w += 1 unit: whether that overflows all words. */
bool convert_increment(uint32_t *w, unsigned words);

/* Gives a magnitude its sign; CONVERT_RANGE where it is too large. */
enum convert_status convert_sign(uint32_t *w, unsigned words, bool is_negative);

#endif
