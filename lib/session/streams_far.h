/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Jobs in another process that their threads have left: a signal handler has left by longjmp, or
 * takes longer than other threads wait (lib/process/hold.h). */
#ifndef MPGPU_STREAMS_FAR_H
#define MPGPU_STREAMS_FAR_H

#include "lib/session/session_device.h"

/* Releases the streams of such jobs that have ended, and asks the other process to end the rest
 * soon. One thread at a time, without an acquired stream. */
void streams_far_reap(struct session_device *d);

#endif
