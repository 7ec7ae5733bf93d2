/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One download in two steps (lib/transfer/transfer.h): directly, where the device can write the
 * memory, or through the staging ring.
 *
 * A thread of the program can let go of its memory (lib/process/hold.h) only while the device does
 * not write it.  So the device is asked to write after the kernels have ended, in pieces that take
 * milliseconds.  Short downloads of short jobs are put into the queue at once. */
#ifndef MPGPU_DOWNLOAD_H
#define MPGPU_DOWNLOAD_H

#include <stdbool.h>

#include "gpu/gpu.h"
#include "lib/process/hold.h"
#include "lib/transfer/far.h"
#include "lib/transfer/staging.h"

/* What all downloads of a context use. */
struct download_path {
    struct gpu_device dev;
    struct hold *hold;
    struct staging *ring;
};

/* Returns the ring through which memory at `host` is copied. */
static inline struct staging *download_ring(const struct download_path *p, const void *host) {
    return far_is_address(host) ? far_here()->ring : p->ring;
}

/* Of its bytes, `whole` from `head` on come directly. */
struct download {
    const struct gpu_queue *by;
    gpu_event_impl *after; /* what `by` has yet to wait for, or NULL */
    char *dst;
    gpu_mem src;
    size_t offset, bytes, head, whole;
    bool is_late; /* it is put into the queue when it ends */
};

/* Returns true if a download that begins now is to be late. */
bool download_is_late(const struct download_path *p, size_t bytes);

/* d->by, dst, src, offset, bytes and is_late are set; it comes after what `queue` holds.  On
 * failure download_forget must follow, as after its end. */
enum gpu_status download_begin(const struct download_path *p, struct download *d,
                               const struct gpu_queue *queue);

/* It is complete on return.  The hold must be released then (hold_release) unless it came through
 * the ring. */
enum gpu_status download_end(const struct download_path *p, struct download *d);

void download_forget(struct download *d);

#endif
