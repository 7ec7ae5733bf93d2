/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Several libgmps in one process, each with its own memory functions. */
#ifndef MPGPU_SEVERAL_H
#define MPGPU_SEVERAL_H

#include <stdbool.h>

/* Call this when memory functions have been set, in any libgmp: from now on each caller must use
 * its own libgmp. */
void several_watch(void);

/* Returns true if another libgmp has been loaded since several_watch. The current call may then be
 * meant for that libgmp: the function in `real` finds out. It also rebinds the object, so that
 * later calls of that object do not arrive here. */
bool several_have_come(void);

/* Returns the function `symbol` of the libgmp that the object which contains the address `place`
 * uses. Returns NULL if that can only be the libgmp behind this library. */
void *several_of(const void *place, const char *symbol);

#endif
