/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Clears memory that has contained operands or results, if the option `clear` is set. Otherwise
 * does nothing. */
#ifndef MPGPU_WIPE_H
#define MPGPU_WIPE_H

#include <stddef.h>

void wipe(void *p, size_t bytes);

/* Clears memory if the option `clear` is set, then calls free(p); p may be NULL. */
void wipe_free(void *p, size_t bytes);

#endif
