/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Starting the process that has the devices of a CPU. */
#ifndef MPGPU_REMOTE_START_H
#define MPGPU_REMOTE_START_H

#include "gpu/remote/remote.h"

/* Starts a process that is nobody's child, of a program with arguments, in a session of its own,
 * without descriptors of this process but `file`, as REMOTE_FILE, unless that is -1.  Its
 * environment is this one's without LD_PRELOAD and MPGPU_CONF, with `variable` unless that is NULL.
 * Returns 0 or the error.  Any thread. */
int remote_start_process(const char *path, char *const *arguments, int file, const char *variable,
                         pid_t *pid);

/* NULL, or why this process must not have such a process. */
const char *remote_start_forbidden(void);

/* Starts it, and waits until it has come: *sharedp is the memory that both see.  GPU_ABSENT where
 * there can't be one.  It ends with the thread that calls this. */
enum gpu_status remote_start(struct remote_shared **sharedp);

/* The process ends.  By the thread that has started it; else the memory, which has a lock that this
 * thread holds, stays. */
void remote_unmap(struct remote_shared *shared);

#endif
