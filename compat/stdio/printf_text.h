/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The text of a format with large numbers; GMP formats the parts between them. */
#ifndef MPGPU_PRINTF_TEXT_H
#define MPGPU_PRINTF_TEXT_H

#include "compat/stdio/printf_pieces.h"
#include "compat/stdio/printf_spec.h"
#include "lib/algorithms/composite.h"
#include "lib/algorithms/text/text_block.h"

/* Returns the limbs of the largest number that is converted to decimal digits.  Returns 0 if there
 * is none, or the format has a conversion that only GMP handles.  Does not change the list. */
size_t printf_text_size(const char *format, struct printf_arguments *a);

/* Appends the text, and its pieces unless `p` is NULL.  Returns false if a conversion fails: then
 * GMP is to find that, too. */
bool printf_text_append(struct composite *w, struct text_block *b, const char *format,
                        struct printf_arguments *a, struct printf_pieces *p);

#endif
