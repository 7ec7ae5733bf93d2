/* SPDX-License-Identifier: LGPL-3.0-or-later
 * %Ff, %Fe and %Fg of numbers with many digits. */
#ifndef MPGPU_PRINTF_FLOAT_H
#define MPGPU_PRINTF_FLOAT_H

#include "compat/stdio/printf_spec.h"
#include "lib/algorithms/composite.h"
#include "lib/algorithms/text/text_block.h"

/* Do the work of printf_number_size and printf_number_append (printf_number.h) for %Ff, %Fe and
 * %Fg. They write neither sign nor padding. */
size_t printf_float_size(const struct printf_spec *s);
bool printf_float_append(struct composite *w, struct text_block *b, const struct printf_spec *s);

#endif
