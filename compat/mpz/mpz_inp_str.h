/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers from a stream, for mpz_inp_str and mpq_inp_str. */
#ifndef MPGPU_MPZ_INP_STR_H
#define MPGPU_MPZ_INP_STR_H

#include <stdio.h>

#include "compat/intercept/call.h"

/* x = the number whose text begins with the character c, which has been read; base 0, or 2 to 62.
 * The character behind it is unread.  Returns the bytes of the text with c; 0, where c and a sign
 * may have been read, if there is none.  A call of that row. */
size_t mpz_inp_str_from(enum call_row row, mpz_ptr x, FILE *stream, int base, int c);

#endif
