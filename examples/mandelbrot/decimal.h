/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Converts decimal text of any length to exact rational numbers. */
#ifndef EXAMPLE_DECIMAL_H
#define EXAMPLE_DECIMAL_H

#include <gmp.h>

enum decimal { DECIMAL_GOOD, DECIMAL_MALFORMED, DECIMAL_HUGE_EXPONENT };

/* The largest magnitude of an exponent of ten in a decimal text. */
enum { DECIMAL_EXPONENT = 20000 };

/* Sets `value` to the exact value of the text: an optional sign, digits with an optional point,
 * and an optional exponent, such as -1.25, .5 or 1e-30. If the text contains anything else,
 * `value` becomes 0. */
enum decimal decimal_parse(mpq_t value, const char *text);

/* Sets `fixed` to value * 2^bits, rounded to the nearest integer; halves are rounded up. */
void decimal_to_fixed(mpz_t fixed, const mpq_t value, unsigned long bits);

/* Returns floor(log2(value)), or one less: the estimate uses only the bit lengths of numerator and
 * denominator. `value` must be above 0. */
long decimal_log2(const mpq_t value);

#endif
