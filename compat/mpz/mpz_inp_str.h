/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers from a stream, for mpz_inp_str and mpq_inp_str. */
#ifndef MPGPU_MPZ_INP_STR_H
#define MPGPU_MPZ_INP_STR_H

#include <stdio.h>

#include "compat/intercept/call.h"

/* Reads a number whose text begins with c, which was read before, and sets x to it; base 0, or 2 to
 * 62.  Unreads the character behind it.  Returns the bytes of the text including c.  Returns 0 if
 * there is no number; c and a sign may have been consumed.  Counts as a call of `row`. */
size_t mpz_inp_str_from(enum call_row row, mpz_ptr x, FILE *stream, int base, int c);

#endif
