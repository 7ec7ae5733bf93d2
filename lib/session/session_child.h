/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A child of fork: its parent's devices are none of its own, but it may have that of mpgpu-serve.
 */
#ifndef MPGPU_SESSION_CHILD_H
#define MPGPU_SESSION_CHILD_H

#include <stdbool.h>

/* For shutdown_prepare: in the child, while it has one thread.  Where its parent's threads were at
 * work on devices it has none. */
void session_child_renew(bool was_acquired);

/* May this process have a device?  True but in a child of fork without one.  There the first call
 * that is large begins to open the server's, but in a handler of a signal. */
bool session_child_may(void);

/* The same, but nothing begins. */
bool session_child_has_any(void);

#endif
