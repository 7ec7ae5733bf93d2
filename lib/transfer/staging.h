/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The staging ring between host memory of any kind and the device: page-locked memory that threads
 * fill or empty chunk by chunk while the link works.
 *
 * The device accesses only the ring, even if the device is the CPU. When a call fails, a copy may
 * still be under way, and must not reach memory that the program uses again.
 *
 * Functions that return an int return a gpu_status. */
#ifndef MPGPU_STAGING_H
#define MPGPU_STAGING_H

#include <stdbool.h>

#include "gpu/gpu.h"
#include "lib/process/hold.h"

struct staging;

/* Opens a ring. `hold` is the stream's. */
enum gpu_status staging_open(const struct gpu_device *dev, struct hold *hold,
                             struct staging **ringp);

/* Call it before an operation. `rings` of this device are in use, this one included: they share the
 * threads that copy. */
void staging_share(struct staging *ring, unsigned rings);

/* Opens a ring for one job of another process (lib/transfer/far.h), whose threads copy.
 * STAGING_BYTES at `host` and STAGING_MARKS marks are shared by both processes, and staging_close
 * does not release them. */
enum gpu_status staging_open_far(const struct gpu_device *dev, char *host, _Atomic uint64_t *mark,
                                 struct staging **ringp);

void staging_close(struct staging *ring);

/* Returns the ring's memory. */
char *staging_host(struct staging *ring);

/* Uploads through `queue`. On return all copies are in the queue, and src is no longer needed. */
enum gpu_status staging_up(struct staging *ring, const struct gpu_queue *queue, gpu_mem dst,
                           size_t offset, const void *src, size_t bytes);

/* Returns the event after all uploads so far, valid until the next call; NULL if they have all
 * ended. */
gpu_event_impl *staging_last(const struct staging *ring);

/* Downloads through `queue`, after all uploads so far. On return the download is complete, as is
 * earlier work of the queue. */
enum gpu_status staging_down(struct staging *ring, const struct gpu_queue *queue, void *dst,
                             gpu_mem src, size_t offset, size_t bytes);

/* Forgets copies under way. The caller must have waited for its queues. */
void staging_clear(struct staging *ring);

/* Clears the bytes that the ring has held, if the option `clear` is set. Call it after
 * staging_clear. */
void staging_wipe(struct staging *ring);

#endif
