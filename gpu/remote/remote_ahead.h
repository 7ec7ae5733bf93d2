/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Helpers of the process that builds: the same program, which builds ahead and ends. */
#ifndef MPGPU_REMOTE_AHEAD_H
#define MPGPU_REMOTE_AHEAD_H

#include "gpu/remote/remote.h"

/* The argument behind the version's that makes it one. */
#define REMOTE_AHEAD "ahead"

/* `file` is the shared memory's descriptor, for them. */
void remote_ahead_begin(int file);

/* Starts helpers for so many programs, at most one a core. */
void remote_ahead_start(unsigned programs);

/* All that a helper does. */
void remote_ahead_work(const struct gpu_backend *backend, struct remote_shared *shared);

#endif
