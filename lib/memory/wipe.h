/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Clears memory that held operands or results before it is freed, if the option `clear` is set. */
#ifndef MPGPU_WIPE_H
#define MPGPU_WIPE_H

#include <stddef.h>

void wipe(void *p, size_t bytes);

/* Clears memory likewise, then calls free(p); p may be NULL. */
void wipe_free(void *p, size_t bytes);

#endif
