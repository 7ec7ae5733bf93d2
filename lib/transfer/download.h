/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One download in two steps (lib/transfer/transfer.h). It is direct if the device can write to the
 * memory; otherwise it goes through the staging ring.
 *
 * While the device writes, the program's thread cannot withdraw its memory (lib/process/lease.h),
 * so it cannot run a signal handler. Therefore a long download is queued only after the kernels
 * have ended, in pieces that take milliseconds. Short downloads of short jobs are queued
 * immediately. */
#ifndef MPGPU_DOWNLOAD_H
#define MPGPU_DOWNLOAD_H

#include <stdbool.h>

#include "gpu/gpu.h"
#include "lib/process/lease.h"
#include "lib/transfer/far.h"
#include "lib/transfer/staging.h"

/* The device, the lease and the staging ring that all downloads of a context use. */
struct download_path {
    struct gpu_device dev;
    struct lease *lease;
    struct staging *ring;
};

/* Returns the staging ring through which memory at `host` is copied: the caller's ring if `host`
 * is an address of another process, otherwise the context's. */
static inline struct staging *download_ring(const struct download_path *p, const void *host) {
    return far_is_address(host) ? far_here()->ring : p->ring;
}

/* A download. The device copies the `whole` bytes from offset `head` directly; the other bytes
 * go through the staging ring. */
struct download {
    const struct gpu_queue *by;
    gpu_event_impl *after; /* event for which the queue `by` must still wait; NULL: none */
    char *dst;
    gpu_mem src;
    size_t offset, bytes, head, whole;
    bool is_late; /* direct copies are queued in download_end instead of download_begin */
};

/* Returns true if a download that begins now must queue its direct copies only in download_end. */
bool download_is_late(const struct download_path *p, size_t bytes);

/* Begins a download after the commands now in `queue`. d->by, dst, src, offset, bytes and
 * is_late must be set. Call download_forget after a failure, and after download_end. */
enum gpu_status download_begin(const struct download_path *p, struct download *d,
                               const struct gpu_queue *queue);

/* Completes the download. The caller must then release the lease (lease_release), unless all bytes
 * went through the staging ring. */
enum gpu_status download_end(const struct download_path *p, struct download *d);

void download_forget(struct download *d);

#endif
