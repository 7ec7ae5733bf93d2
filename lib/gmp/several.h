/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Several libgmps in one process, with memory functions of their own. */
#ifndef MPGPU_SEVERAL_H
#define MPGPU_SEVERAL_H

#include <stdbool.h>

/* Memory functions have been set, in whatever libgmp: from now on each is to have its own. */
void several_watch(void);

/* Since then, has another libgmp been loaded?  Then the call at hand may be for that one: it is for
 * the real function, which knows.  Later ones come no more. */
bool several_have_come(void);

/* The function of that name in the libgmp that the object with this place has, if that may be
 * another than the one behind this library; else NULL. */
void *several_of(const void *place, const char *symbol);

#endif
