/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Filters of system calls (seccomp) that the program has installed since it started.
 *
 * A filter may end the process where a driver starts a thread or opens a file.  A filter that was
 * there at the start, as in a container, has let the program load its libraries, and is ignored. */
#ifndef MPGPU_SYSCALL_FILTER_H
#define MPGPU_SYSCALL_FILTER_H

#include <stdbool.h>

/* The program is about to install a filter: from now on it counts as there, and nobody asks. */
void syscall_filter_expect(void);

/* Returns true after that.  Any thread, at any time. */
bool syscall_filter_is_expected(void);

/* The process had no filter at the start, and has one now. */
bool syscall_filter_is_first(void);

/* This thread has a filter that the program did not start with. */
bool syscall_filter_is_new(void);

#endif
