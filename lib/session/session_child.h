/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A child of fork cannot use its parent's devices, but it can open a device of mpgpu-serve. */
#ifndef MPGPU_SESSION_CHILD_H
#define MPGPU_SESSION_CHILD_H

#include <stdbool.h>

/* Prepares a child of fork, which has only one thread at first; shutdown_prepare registers this
 * function. was_acquired is false if threads of the parent were using devices during the fork; the
 * child then gets no device. */
void session_child_renew(bool was_acquired);

/* Returns true if this process may use a device. Returns false in a child of fork that has no
 * device and cannot get one. In a child, the first large call begins to open the server's device,
 * unless a signal handler makes this call. */
bool session_child_may(void);

/* Returns the same as session_child_may, but does not open a device. */
bool session_child_has_any(void);

#endif
