/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Formats the large numbers among the arguments of gmp_printf, as GMP does. */
#ifndef MPGPU_PRINTF_NUMBER_H
#define MPGPU_PRINTF_NUMBER_H

#include "compat/stdio/printf_pieces.h"
#include "compat/stdio/printf_spec.h"
#include "lib/algorithms/composite.h"
#include "lib/algorithms/text/text_block.h"

/* Returns the number of limbs of the number. Returns 0 if GMP must convert it, for example because
 * of its type, base, precision or flags. Calls no function of GMP. */
size_t printf_number_size(const struct printf_spec *s);

/* Appends the number to block b. If `p` is not NULL, records there the pieces that GMP would write.
 * Returns false, and keeps b, if memory is exhausted or the device does not convert the number. */
bool printf_number_append(struct composite *w, struct text_block *b, const struct printf_spec *s,
                          struct printf_pieces *p);

#endif
