/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds out what the library must not do in this process: load drivers, start threads, or cause
 * page faults in its own threads. */
#ifndef MPGPU_SURROUNDINGS_H
#define MPGPU_SURROUNDINGS_H

#include <stdbool.h>

/* Returns NULL if this process is allowed to open a device, otherwise the reason why it must not.
 * Call it after the options are read. */
const char *surroundings_forbid(void);

/* Returns true if this library must start no thread in this process. The reasons: the program
 * filters this thread's system calls and its options name no device; its malloc is incomplete
 * (lib/process/heap.h); or process_forbid_threads has been called. */
bool surroundings_forbid_threads(void);

/* Returns true if the program handles SIGSEGV or SIGBUS, so that page faults must occur in the
 * calling thread (lib/memory/touch.h). */
bool surroundings_handle_faults(void);

#endif
