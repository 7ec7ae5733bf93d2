/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds out which object defines the malloc that the process uses. */
#ifndef MPGPU_ALLOCATOR_H
#define MPGPU_ALLOCATOR_H

#include <stdbool.h>

/* Returns true if the same object defines malloc, free and the functions for aligned memory. If a
 * program defines only some of these functions, a driver would free a block that another allocator
 * has allocated. */
bool allocator_is_complete(void);

#endif
