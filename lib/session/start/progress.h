/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The line on a terminal that a wait for the device shows when it takes longer than two seconds, as
 * when kernels are built for the first time.  For lib/session/session.c. */
#ifndef MPGPU_PROGRESS_H
#define MPGPU_PROGRESS_H

/* A wait begins, and ends: the line is erased then.  With `open:wait`, and where standard error is
 * a terminal; otherwise they do nothing.  Any thread: one of several that wait has the line. */
void progress_begin(void);
void progress_end(void);

#endif
