/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What this library does before and after a process is copied: by fork, which calls it, and by
 * functions that call nothing, as clone and _Fork (compat/libc/clone.c). */
#ifndef MPGPU_AT_FORK_H
#define MPGPU_AT_FORK_H

/* As pthread_atfork; NULL for nothing.  Not for more than AT_FORK_MOST callers. */
enum { AT_FORK_MOST = 8 };
void at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/* Calls them as fork does, for another function that copies the process. */
void at_fork_before(void);
void at_fork_in_parent(void);
void at_fork_in_child(void);

#endif
