/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Bases of texts: their characters, and how many digits a number of limbs has.  The estimates are
 * GMP's, to the digit: on them depends how many digits and limbs GMP computes. */
#ifndef MPGPU_TEXT_BASE_H
#define MPGPU_TEXT_BASE_H

#include <stddef.h>

/* What the argument `base` of GMP's output means: 2 to 62, or -2 to -36; 0, 1 and -1 stand for 10.
 * 0 for no base.  *characters: its digits. */
int text_base_of(int base, const char **characters);

/* {s, n} = the characters of the digits {value, n}, which may be the same bytes. */
void text_base_characters(char *s, const unsigned char *value, size_t n, int base,
                          const char *characters);

/* The value of a digit in base 2 to 62, or more than that of any. */
int text_base_value(unsigned char c, int base);

/* {value, returned} = the digits that {s, n} begins with, in room for n. */
size_t text_base_values(unsigned char *value, const char *s, size_t n, int base);

/* Digits of base 2 to 62 that any number of so many limbs, under 2^58, has: rounded down. */
size_t text_base_digits(int base, size_t limbs);

/* Limbs for a number of so many digits: one or two too many.  Their logarithm may differ from GMP's
 * in its last places; for fewer than 2^29 digits the limbs do not. */
size_t text_base_limbs(int base, size_t digits);

#endif
