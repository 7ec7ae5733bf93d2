/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Conversion of fixed-point numbers from and to doubles and decimal text, on the host.  A number
 * {w, words} has 4, 6 or 8 words of 32 bits, as in kernels/fixed/fixed.h.  It is at least -2^31 and
 * below 2^31, in units of 2^(-32 (words - 1)). */
#ifndef MPGPU_FIXED_CONVERT_H
#define MPGPU_FIXED_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum convert_status {
    CONVERT_OK = 0,
    CONVERT_MALFORMED, /* not a number */
    CONVERT_RANGE,     /* the number is below -2^31, or 2^31 or more */
    CONVERT_NOMEM,     /* no memory, or too little room for the text */
};

/* Sets w to the number nearest to d; if two are equally near, to the even one. */
enum convert_status convert_from_double(uint32_t *w, unsigned words, double d);

/* Returns the double nearest to the number; if two are equally near, the even one. */
double convert_to_double(const uint32_t *w, unsigned words);

/* Sets w to the number nearest to a decimal of any length; if two are equally near, to the even
 * one.  The whole text is: a sign, digits with a point before, among or after them, and e with a
 * decimal exponent.  Only the digits are mandatory. */
enum convert_status convert_from_text(uint32_t *w, unsigned words, const char *text);

/* Writes the decimal with `digits` digits after the point that is nearest to the number; if two are
 * equally near, the even one. 32 (words - 1) digits are exact.  There is no point without digits
 * after it, and no sign before 0.  The text ends with a 0.  `size` is the room in bytes; 14 +
 * digits are enough. */
enum convert_status convert_to_text(char *text, size_t size, const uint32_t *w, unsigned words,
                                    unsigned digits);

/* w = -w modulo 2^32. */
void convert_negate(uint32_t *w, unsigned words);

/* Adds 1 unit in the last place to w.  Returns true if the sum overflows all words. */
bool convert_increment(uint32_t *w, unsigned words);

/* Gives a magnitude its sign.  Returns CONVERT_RANGE if it is too large. */
enum convert_status convert_sign(uint32_t *w, unsigned words, bool is_negative);

#endif
