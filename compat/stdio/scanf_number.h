/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers that gmp_scanf reads, of any size. */
#ifndef MPGPU_SCANF_NUMBER_H
#define MPGPU_SCANF_NUMBER_H

#include "compat/intercept/call.h"
#include "compat/stdio/scanf_input.h"

/* Reads the text of a number of type Z, Q or F in decimal, which begins with c, and gives it to x.
 * Unreads what stands behind it.  False where it is none.  A call of that row. */
bool scanf_number(enum call_row row, struct scanf_input *in, int c, char type, void *x);

#endif
