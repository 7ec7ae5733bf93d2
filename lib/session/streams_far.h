/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Releases streams whose jobs run in the server and were abandoned by their callers: a signal
 * handler has left the job by longjmp, or has taken too long (lib/process/hold.h). */
#ifndef MPGPU_STREAMS_FAR_H
#define MPGPU_STREAMS_FAR_H

#include "lib/session/session_device.h"

/* Makes the server end jobs that their callers have abandoned, and releases each stream whose job
 * has ended. Only one thread at a time may call it, without an acquired stream. */
void streams_far_reap(struct session_device *d);

#endif
