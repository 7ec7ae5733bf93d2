/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads a number of any size for gmp_scanf. */
#ifndef MPGPU_SCANF_NUMBER_H
#define MPGPU_SCANF_NUMBER_H

#include "compat/intercept/call.h"
#include "compat/stdio/scanf_input.h"

/* Reads a decimal number of type Z, Q or F, whose text begins with c, and sets x to it. Consumes
 * the number, but not the character behind it. Returns false if there is no number. The statistics
 * count the call in `row`. */
bool scanf_number(enum call_row row, struct scanf_input *in, int c, char type, void *x);

#endif
