/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Bases of texts: their characters, and how many digits a number of limbs has. The estimates must
 * equal GMP's exactly, because results depend on them. */
#ifndef MPGPU_TEXT_BASE_H
#define MPGPU_TEXT_BASE_H

#include <stddef.h>

/* Returns the base that the argument `base` of GMP's output functions means: 2 to 62, or -2 to -36;
 * 0, 1 and -1 mean 10.  Returns 0 for no base.  *characters are its digits. */
int text_base_of(int base, const char **characters);

/* {s, n} = the characters of the digits {value, n}, which may be the same bytes. */
void text_base_characters(char *s, const unsigned char *value, size_t n, int base,
                          const char *characters);

/* Returns the value of a digit in base 2 to 62; base or more if c is no digit. */
int text_base_value(unsigned char c, int base);

/* Writes the values of the digits with which {s, n} begins to `value`, which has room for n.
 * Returns how many digits these are. */
size_t text_base_values(unsigned char *value, const char *s, size_t n, int base);

/* Returns how many digits in base 2 to 62 fit in `limbs` limbs, rounded down, for limbs < 2^58. */
size_t text_base_digits(int base, size_t limbs);

/* Returns the number of limbs to allocate for `digits` digits: one or two too many. The logarithm
 * may differ from GMP's in its last places. For fewer than 2^29 digits, the number of limbs is
 * GMP's nevertheless. */
size_t text_base_limbs(int base, size_t digits);

#endif
