/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Processes that no driver is loaded into. */
#ifndef MPGPU_SURROUNDINGS_H
#define MPGPU_SURROUNDINGS_H

#include <stdbool.h>

/* NULL, or in words why this process opens no device.  Called after the options are read. */
const char *surroundings_forbid(void);

/* The program filters this thread's system calls, and names no device in its options: then no
 * thread is made here. */
bool surroundings_forbid_threads(void);

#endif
