/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which malloc the process uses. */
#ifndef MPGPU_ALLOCATOR_H
#define MPGPU_ALLOCATOR_H

#include <stdbool.h>

/* One object defines malloc, free and the functions for aligned memory.  Where a program defines
 * only some of them, a driver would free a block that another allocator has made. */
bool allocator_is_complete(void);

#endif
