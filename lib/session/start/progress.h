/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Shows a progress line on a terminal if a wait for the device takes longer than two seconds, as
 * when kernels are built for the first time. For lib/session/session.c. */
#ifndef MPGPU_PROGRESS_H
#define MPGPU_PROGRESS_H

/* progress_begin begins to show a wait; progress_end ends it and erases the line. Both act only
 * with `open:wait`, and if standard error is a terminal. Any thread; if several threads wait,
 * there is one line. */
void progress_begin(void);
void progress_end(void);

#endif
