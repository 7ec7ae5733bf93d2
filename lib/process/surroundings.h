/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What the program forbids in its process: drivers, threads, faults in threads of ours. */
#ifndef MPGPU_SURROUNDINGS_H
#define MPGPU_SURROUNDINGS_H

#include <stdbool.h>

/* NULL, or in words why this process opens no device.  Called after the options are read. */
const char *surroundings_forbid(void);

/* Returns true if no thread is made here: the program filters this thread's system calls, and names
 * no device in its options, or the process must not (process_forbid_threads). */
bool surroundings_forbid_threads(void);

/* Returns true if the program has a handler for SIGSEGV or SIGBUS (lib/memory/touch.h). */
bool surroundings_handle_faults(void);

#endif
