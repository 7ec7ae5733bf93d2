/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The line that a wait for the device shows on a terminal after two seconds, as when kernels are
 * built for the first time. For lib/session/session.c. */
#ifndef MPGPU_PROGRESS_H
#define MPGPU_PROGRESS_H

/* progress_begin starts a wait; progress_end ends it and erases the line. Both act only with
 * `open:wait`, and if standard error is a terminal. Any thread; one of several waiting threads
 * shows the line. */
void progress_begin(void);
void progress_end(void);

#endif
