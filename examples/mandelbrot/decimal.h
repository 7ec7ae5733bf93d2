/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decimal numbers of any length. */
#ifndef EXAMPLE_DECIMAL_H
#define EXAMPLE_DECIMAL_H

#include <gmp.h>

enum decimal { DECIMAL_GOOD, DECIMAL_MALFORMED, DECIMAL_HUGE_EXPONENT };

/* The largest exponent, and the least with a minus. */
enum { DECIMAL_EXPONENT = 20000 };

/* Sets `value` to the exact value of the text: an optional sign, digits with an optional point, an
 * optional exponent, as -1.25, .5 or 1e-30.  The text must have nothing else; if it is bad, the
 * value is 0. */
enum decimal decimal_parse(mpq_t value, const char *text);

/* Fixed is value times 2^bits, rounded to the nearest integer, halves up. */
void decimal_to_fixed(mpz_t fixed, const mpq_t value, unsigned long bits);

/* The greatest integer e with 2^e <= value, or one less; value > 0. */
long decimal_log2(const mpq_t value);

#endif
