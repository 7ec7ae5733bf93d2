/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Several libgmps in one process, each with its own memory functions. */
#ifndef MPGPU_MULTI_LIBGMP_H
#define MPGPU_MULTI_LIBGMP_H

#include <stdbool.h>

/* Call this when memory functions have been set, in any libgmp: from now on each caller must use
 * its own libgmp. */
void multi_libgmp_watch(void);

/* Returns true if another libgmp has been loaded since multi_libgmp_watch. The current call may
 * then be meant for that libgmp. The function in `real` decides this, and rebinds the calling
 * object, so that its later calls go directly to its own libgmp. */
bool multi_libgmp_loaded(void);

/* Returns the function `symbol` of the libgmp that the object which contains the address `place`
 * uses. Returns NULL if that can only be the libgmp behind this library. */
void *multi_libgmp_symbol(const void *place, const char *symbol);

#endif
