/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Starting the process that has the devices of a CPU. */
#ifndef MPGPU_REMOTE_START_H
#define MPGPU_REMOTE_START_H

#include "gpu/remote/remote.h"

/* Starts it, and waits until it has come: *sharedp is the memory that both see.  GPU_ABSENT where
 * there can't be one.  It ends with the thread that calls this. */
enum gpu_status remote_start(struct remote_shared **sharedp);

/* The process ends.  By the thread that has started it; else the memory, which has a lock that this
 * thread holds, stays. */
void remote_unmap(struct remote_shared *shared);

#endif
