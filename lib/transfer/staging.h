/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The staging ring: page-locked memory between the program's memory and the device. Threads copy
 * data into or out of the ring chunk by chunk while the device copies other chunks. The device
 * accesses only the ring, even if it is a CPU: if a call fails, the device may still copy, and must
 * not touch memory that the program uses again. */
#ifndef MPGPU_STAGING_H
#define MPGPU_STAGING_H

#include <stdbool.h>

#include "gpu/gpu.h"
#include "lib/process/lease.h"

struct staging;

/* Opens a staging ring. `lease` is the permission to access the program's memory
 * (lib/process/lease.h). */
enum gpu_status staging_open(const struct gpu_device *dev, struct lease *lease,
                             struct staging **ringp);

/* Sets how many threads copy for this ring. `rings` is the number of rings of this device that are
 * in use, including this one; they share the threads. Call it before an operation. */
void staging_share(struct staging *ring, unsigned rings);

/* Opens a ring for one job of another process (lib/transfer/far.h), whose threads copy. The
 * other process has STAGING_BYTES at `host` and STAGING_MARKS marks, which both processes map;
 * staging_close does not free them. */
enum gpu_status staging_open_far(const struct gpu_device *dev, char *host, _Atomic uint64_t *mark,
                                 struct staging **ringp);

void staging_close(struct staging *ring);

/* Returns the ring's memory. */
char *staging_host(struct staging *ring);

/* Uploads {src, bytes} through `queue`. On return all copies to the device are in the queue, and
 * src is no longer needed. */
enum gpu_status staging_up(struct staging *ring, const struct gpu_queue *queue, gpu_mem dst,
                           size_t offset, const void *src, size_t bytes);

/* Returns the event that completes after all uploads so far; it is valid until the next call.
 * Returns NULL if all uploads have ended. */
gpu_event_impl *staging_last(const struct staging *ring);

/* Downloads through `queue`, after all uploads so far. On return the download is complete, and
 * so are the queue's earlier commands. */
enum gpu_status staging_down(struct staging *ring, const struct gpu_queue *queue, void *dst,
                             gpu_mem src, size_t offset, size_t bytes);

/* Forgets the groups of chunks that the device is copying. The caller must have waited for the
 * queues that copy them. */
void staging_clear(struct staging *ring);

/* If the option `clear` is set, clears the bytes of transfers in the ring. Call it after
 * staging_clear. */
void staging_wipe(struct staging *ring);

#endif
