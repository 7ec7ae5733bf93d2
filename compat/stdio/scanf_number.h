/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers that gmp_scanf reads, of any size. */
#ifndef MPGPU_SCANF_NUMBER_H
#define MPGPU_SCANF_NUMBER_H

#include "compat/intercept/call.h"
#include "compat/stdio/scanf_input.h"

/* Reads the text of a decimal number of type Z, Q or F, which begins with c, and sets x to it.
 * Unreads the character behind it.  Returns false if there is no number.  Counts as a call of
 * `row`. */
bool scanf_number(enum call_row row, struct scanf_input *in, int c, char type, void *x);

#endif
