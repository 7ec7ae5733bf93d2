/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Formats a text with large numbers for gmp_printf; GMP formats the parts between them. */
#ifndef MPGPU_PRINTF_TEXT_H
#define MPGPU_PRINTF_TEXT_H

#include "compat/stdio/printf_pieces.h"
#include "compat/stdio/printf_spec.h"
#include "lib/algorithms/composite.h"
#include "lib/algorithms/text/text_block.h"

/* Returns the number of limbs of the largest number that this library would convert. Returns 0 if
 * there is none, or only GMP can handle the format. Does not change the list. */
size_t printf_text_size(const char *format, struct printf_arguments *a);

/* Appends the text to block b. If `p` is not NULL, records there the pieces that GMP would write.
 * Returns false if a conversion fails; the caller then calls GMP's function, which fails, too. */
bool printf_text_append(struct composite *w, struct text_block *b, const char *format,
                        struct printf_arguments *a, struct printf_pieces *p);

#endif
