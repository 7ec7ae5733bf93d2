/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Handles several libgmps in one process, each with its own memory functions. */
#ifndef MPGPU_MULTI_LIBGMP_H
#define MPGPU_MULTI_LIBGMP_H

#include <stdbool.h>

/* Call this when memory functions have been set, in any libgmp: from now on each caller must use
 * its own libgmp. */
void multi_libgmp_watch(void);

/* Returns true if objects have been loaded since the last check after multi_libgmp_watch, and
 * another libgmp is loaded. The current call may be meant for that libgmp, so the caller must then
 * call the function in `real`. The function in `real` finds out which libgmp to use, and makes
 * later calls of the calling object go there directly. */
bool multi_libgmp_loaded(void);

/* Returns the function `symbol` of the libgmp that an object uses: the loaded library or program
 * that contains the address `place`. Returns NULL if that can only be the libgmp behind this
 * library. */
void *multi_libgmp_symbol(const void *place, const char *symbol);

#endif
