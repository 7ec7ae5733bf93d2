/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Large numbers in formats, as GMP writes them. */
#ifndef MPGPU_PRINTF_NUMBER_H
#define MPGPU_PRINTF_NUMBER_H

#include "compat/stdio/printf_pieces.h"
#include "compat/stdio/printf_spec.h"
#include "lib/algorithms/composite.h"
#include "lib/algorithms/text/text_block.h"

/* The limbs of the number that is converted to decimal digits; 0 for what is left to GMP: other
 * conversions, and flags that change more than sign and padding.  Calls nothing of GMP's. */
size_t printf_number_size(const struct printf_spec *s);

/* Appends a number of such a size, and its pieces unless `p` is NULL; false, and the block is what
 * it was, if memory is short. */
bool printf_number_append(struct composite *w, struct text_block *b, const struct printf_spec *s,
                          struct printf_pieces *p);

#endif
