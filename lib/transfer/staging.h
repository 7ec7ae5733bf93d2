/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The staging ring between host memory of any kind and the device: page-locked memory that threads
 * fill or empty chunk by chunk while the link works.
 *
 * The device reads and writes the ring alone, even where it is the CPU.  When a call fails, a copy
 * may still be under way, and must not reach memory that the program uses again.
 *
 * Functions that return an int return a gpu_status. */
#ifndef MPGPU_STAGING_H
#define MPGPU_STAGING_H

#include <stdbool.h>

#include "gpu/gpu.h"
#include "lib/process/hold.h"

struct staging;

/* `hold` is the stream's.  is_another: the device has a ring already. */
enum gpu_status staging_open(const struct gpu_device *dev, struct hold *hold, bool is_another,
                             struct staging **ringp);

/* A ring for one job of another process (lib/transfer/far.h), whose threads copy: STAGING_BYTES at
 * `host` and STAGING_MARKS marks, which both processes see and staging_close does not release. */
enum gpu_status staging_open_far(const struct gpu_device *dev, char *host, _Atomic uint64_t *mark,
                                 struct staging **ringp);

void staging_close(struct staging *ring);

/* Returns the ring's memory. */
char *staging_host(struct staging *ring);

/* Upload through `queue`.  On return all of it is in the queue, and src is no longer needed. */
enum gpu_status staging_up(struct staging *ring, const struct gpu_queue *queue, gpu_mem dst,
                           size_t offset, const void *src, size_t bytes);

/* The event behind all uploads so far, valid until the next call; NULL if they have all ended. */
gpu_event_impl *staging_last(const struct staging *ring);

/* Download through `queue`, behind all uploads so far.  It is complete on return, as is what was in
 * the queue before. */
enum gpu_status staging_down(struct staging *ring, const struct gpu_queue *queue, void *dst,
                             gpu_mem src, size_t offset, size_t bytes);

/* Nothing is under way any more: the caller has waited for its queues. */
void staging_clear(struct staging *ring);

/* Then: clear what the ring has held, where the option `clear` asks for it. */
void staging_wipe(struct staging *ring);

#endif
