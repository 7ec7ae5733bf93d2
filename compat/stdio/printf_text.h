/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The text of a format with large numbers: what stands between them is GMP's to write. */
#ifndef MPGPU_PRINTF_TEXT_H
#define MPGPU_PRINTF_TEXT_H

#include "compat/stdio/printf_pieces.h"
#include "compat/stdio/printf_spec.h"
#include "lib/algorithms/composite.h"
#include "lib/algorithms/text/text_block.h"

/* Limbs of the largest number of those that are converted to decimal digits; 0 where there is none,
 * or where the format has something that is left to GMP.  The list stays. */
size_t printf_text_size(const char *format, struct printf_arguments *a);

/* Appends the text, and its pieces unless `p` is NULL.  False where a conversion fails: then GMP is
 * to find that, too. */
bool printf_text_append(struct composite *w, struct text_block *b, const char *format,
                        struct printf_arguments *a, struct printf_pieces *p);

#endif
