/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One download in two steps (lib/transfer/transfer.h): directly if the device can write the memory,
 * otherwise through the staging ring.
 *
 * A thread of the program can release its memory (lib/process/hold.h) only while the device does
 * not write it. So long downloads are queued after the kernels have ended, in pieces that take
 * milliseconds. Short downloads of short jobs are queued at once. */
#ifndef MPGPU_DOWNLOAD_H
#define MPGPU_DOWNLOAD_H

#include <stdbool.h>

#include "gpu/gpu.h"
#include "lib/process/hold.h"
#include "lib/transfer/far.h"
#include "lib/transfer/staging.h"

/* Shared by all downloads of a context. */
struct download_path {
    struct gpu_device dev;
    struct hold *hold;
    struct staging *ring;
};

/* Returns the ring through which memory at `host` is copied. */
static inline struct staging *download_ring(const struct download_path *p, const void *host) {
    return far_is_address(host) ? far_here()->ring : p->ring;
}

/* A download. The `whole` bytes from `head` are copied directly, the rest through the ring. */
struct download {
    const struct gpu_queue *by;
    gpu_event_impl *after; /* the event that `by` must still wait for, or NULL */
    char *dst;
    gpu_mem src;
    size_t offset, bytes, head, whole;
    bool is_late; /* it is queued when it ends */
};

/* Returns true if a download that begins now is queued only when it ends. */
bool download_is_late(const struct download_path *p, size_t bytes);

/* Begins a download after the current work of `queue`. d->by, dst, src, offset, bytes and is_late
 * must be set. After a failure download_forget must follow, as after its end. */
enum gpu_status download_begin(const struct download_path *p, struct download *d,
                               const struct gpu_queue *queue);

/* Completes the download. The caller must then release the hold (hold_release), unless all of it
 * was copied through the ring. */
enum gpu_status download_end(const struct download_path *p, struct download *d);

void download_forget(struct download *d);

#endif
