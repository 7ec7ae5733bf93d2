/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Several libgmps in one process, each with its own memory functions. */
#ifndef MPGPU_SEVERAL_H
#define MPGPU_SEVERAL_H

#include <stdbool.h>

/* Call this when memory functions have been set, in any libgmp: from now on each caller must use
 * its own libgmp. */
void several_watch(void);

/* Returns true if another libgmp has been loaded since. The current call may then be meant for it:
 * the real function finds out. Later calls of that object are rebound and do not arrive here. */
bool several_have_come(void);

/* Returns the function of that name in the libgmp of the object with this address, if it may differ
 * from the libgmp behind this library; otherwise NULL. */
void *several_of(const void *place, const char *symbol);

#endif
