/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What the program forbids in its process: drivers, threads, page faults in this library's threads.
 */
#ifndef MPGPU_SURROUNDINGS_H
#define MPGPU_SURROUNDINGS_H

#include <stdbool.h>

/* Returns NULL, or why this process opens no device. Call it after the options are read. */
const char *surroundings_forbid(void);

/* Returns true if this library must start no thread here. Either the program filters this thread's
 * system calls and its options name no device, or the process must not (process_forbid_threads). */
bool surroundings_forbid_threads(void);

/* Returns true if the program has a handler for SIGSEGV or SIGBUS (lib/memory/touch.h). */
bool surroundings_handle_faults(void);

#endif
