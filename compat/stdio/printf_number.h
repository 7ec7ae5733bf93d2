/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Large numbers in formats, as GMP writes them. */
#ifndef MPGPU_PRINTF_NUMBER_H
#define MPGPU_PRINTF_NUMBER_H

#include "compat/stdio/printf_pieces.h"
#include "compat/stdio/printf_spec.h"
#include "lib/algorithms/composite.h"
#include "lib/algorithms/text/text_block.h"

/* Returns the limbs of the number that is converted to decimal digits.  Returns 0 for conversions
 * left to GMP: other types, and flags that change more than sign and padding.  Calls no function of
 * GMP. */
size_t printf_number_size(const struct printf_spec *s);

/* Appends a number of this size, and its pieces unless `p` is NULL.  If memory is short, returns
 * false and leaves the block unchanged. */
bool printf_number_append(struct composite *w, struct text_block *b, const struct printf_spec *s,
                          struct printf_pieces *p);

#endif
