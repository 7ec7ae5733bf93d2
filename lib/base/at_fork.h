/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The library's handlers before and after a process is copied. fork calls them. For clone and
 * _Fork, which call no handlers, compat/libc/clone.c calls them through this interface. */
#ifndef MPGPU_AT_FORK_H
#define MPGPU_AT_FORK_H

/* Registers handlers as pthread_atfork does; NULL means no handler. After AT_FORK_MOST calls, only
 * fork calls further handlers. */
enum { AT_FORK_MOST = 8 };
void at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/* Call the registered handlers in fork's order. For functions that copy the process without fork.
 */
void at_fork_before(void);
void at_fork_in_parent(void);
void at_fork_in_child(void);

#endif
