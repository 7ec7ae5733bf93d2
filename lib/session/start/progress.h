/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Shows a progress line on a terminal if a wait for the device takes longer than two seconds, for
 * example when kernels are built for the first time. */
#ifndef MPGPU_PROGRESS_H
#define MPGPU_PROGRESS_H

/* progress_begin shows the progress line of a wait; progress_end erases it. Both act only with
 * `open:wait`, and only if standard error is a terminal. Any thread may call them; if several
 * threads wait, there is one line. */
void progress_begin(void);
void progress_end(void);

#endif
