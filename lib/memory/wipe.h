/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Clears memory that held operands or results before it is freed, where the option `clear` asks for
 * it. */
#ifndef MPGPU_WIPE_H
#define MPGPU_WIPE_H

#include <stddef.h>

void wipe(void *p, size_t bytes);

/* The same, then free(p); p may be NULL. */
void wipe_free(void *p, size_t bytes);

#endif
