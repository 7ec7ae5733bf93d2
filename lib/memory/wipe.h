/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory that held operands or results is cleared before it is given away, where the option `clear`
 * asks for it.  Elsewhere these do nothing more than free. */
#ifndef MPGPU_WIPE_H
#define MPGPU_WIPE_H

#include <stddef.h>

void wipe(void *p, size_t bytes);

/* And free(p); p may be NULL. */
void wipe_free(void *p, size_t bytes);

#endif
