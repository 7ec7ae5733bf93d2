/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads a number from a stream, for mpz_inp_str and mpq_inp_str. */
#ifndef MPGPU_MPZ_INP_STR_H
#define MPGPU_MPZ_INP_STR_H

#include <stdio.h>

#include "compat/intercept/call.h"

/* Sets x to the number whose text begins with c, a character that the caller has read; base is 0,
 * or 2 to 62. Leaves the character behind the digits in the stream. Returns the length of the text,
 * or 0 if there is no number. The statistics count the call in `row`. */
size_t mpz_inp_str_from(enum call_row row, mpz_ptr x, FILE *stream, int base, int c);

#endif
