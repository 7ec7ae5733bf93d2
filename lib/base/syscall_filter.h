/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Filters of system calls (seccomp) that the program has installed since it started.
 *
 * A filter may end the process when a driver starts a thread or opens a file. A filter from before
 * the start, as in a container, is ignored. */
#ifndef MPGPU_SYSCALL_FILTER_H
#define MPGPU_SYSCALL_FILTER_H

#include <stdbool.h>

/* Call this before the program installs a filter. From then on the queries treat the filter as
 * installed, without a system call. */
void syscall_filter_expect(void);

/* Returns true after syscall_filter_expect was called. Any thread may call it at any time. */
bool syscall_filter_is_expected(void);

/* Returns true if the process had no filter at the start, and has one now. */
bool syscall_filter_is_first(void);

/* Returns true if this thread has a filter that the program did not start with. */
bool syscall_filter_is_new(void);

#endif
