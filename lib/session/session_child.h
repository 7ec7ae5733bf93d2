/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A child of fork cannot use its parent's devices, but it may use the device of mpgpu-serve. */
#ifndef MPGPU_SESSION_CHILD_H
#define MPGPU_SESSION_CHILD_H

#include <stdbool.h>

/* For shutdown_prepare: prepares the child while it has one thread. If threads of the parent were
 * using devices at the fork, the child gets no device. */
void session_child_renew(bool was_acquired);

/* Returns true if this process may have a device; false only in a child of fork without one. In a
 * child the first large call begins to open the server's device, except in a signal handler. */
bool session_child_may(void);

/* As session_child_may, but begins nothing. */
bool session_child_has_any(void);

#endif
