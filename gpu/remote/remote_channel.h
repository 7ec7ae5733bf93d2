/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The channel to the process that has the devices of a CPU, as the program sees it: one for all
 * threads, opened at first use. */
#ifndef MPGPU_REMOTE_CHANNEL_H
#define MPGPU_REMOTE_CHANNEL_H

#include <stdbool.h>

#include "gpu/remote/remote.h"

/* Puts a request into the ring; `at_once`: the other side is woken for it, and for those before.
 * GPU_FAILED where there is no other side any more. */
enum gpu_status remote_post(const struct remote_request *request, bool at_once);

/* The same, waits for its answer, and passes messages on.  *value may be NULL.  The process is
 * started where there is none and `starts`. */
enum gpu_status remote_call(const struct remote_request *request, bool starts, uint64_t *value);

/* The devices as the last REMOTE_ENUMERATE found them. */
const struct gpu_caps *remote_caps(void);

/* {host, bytes} inside the shared memory: its offset; -1 for memory elsewhere. */
int64_t remote_offset(const void *host, size_t bytes);

/* Adds the programs that it is to build, and has built. */
void remote_builds(unsigned *wanted, unsigned *done);

/* They are as the last answer left them, or a wait for one: looks again. */
void remote_look_at_builds(void);

/* The number of the process, from 1 on; 0 if there is none. */
unsigned remote_generation(void);

/* The shared memory itself, REMOTE_HOST_BYTES. */
char *remote_memory(void);

#endif
