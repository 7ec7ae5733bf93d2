/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The queue of the link, its order with the queue of the kernels, and the choice between direct and
 * staged copies.  The device writes the program's memory only where that is the pool's and
 * page-locked; lib/process/gate.h keeps late answers out. */
#include "config.h"

#include "lib/transfer/transfer.h"

#include <stdlib.h>

#include "lib/memory/pages.h"
#include "lib/memory/pinned.h"
#include "lib/memory/pool.h"
#include "lib/transfer/staging.h"

/* Where several contexts are at work, copies of so many bytes go through the queue of the kernels:
 * that two queues come to an order holds up the driver for all.  A context that works alone has
 * them overlap. */
#define SHORT_BYTES ((size_t)256 << 10)

/* A download.  Its `whole` bytes from `head` on come directly. */
struct download {
    const struct gpu_queue *by;
    char *dst;
    gpu_mem src;
    size_t offset, bytes, head, whole;
};

struct transfer {
    struct gpu_device dev;
    struct gate *gate;
    struct gpu_queue link;
    struct staging *ring;
    struct download down; /* the one under way */
    bool is_shared;       /* other contexts of the device are at work */
};

enum gpu_status transfer_open(const struct gpu_device *dev, struct gate *gate, bool is_another,
                              struct transfer **tp) {
    struct transfer *t = *tp = calloc(1, sizeof *t);
    if (!t)
        return GPU_NOMEM;
    t->dev = *dev;
    t->gate = gate;
    enum gpu_status status = staging_open(dev, gate, is_another, &t->ring);
    if (status == GPU_OK)
        status = gpu_queue_open(dev, &t->link);
    if (status != GPU_OK) {
        transfer_close(t);
        *tp = NULL;
    }
    return status;
}

enum gpu_status transfer_settle(struct transfer *t) {
    enum gpu_status status = gpu_finish(&t->link);
    staging_clear(t->ring);
    return status;
}

void transfer_wipe(struct transfer *t) {
    staging_wipe(t->ring);
}

void transfer_close(struct transfer *t) {
    if (t->link.impl) {
        transfer_settle(t);
        gpu_queue_close(&t->link);
    }
    if (t->ring)
        staging_close(t->ring);
    free(t);
}

/* What `second` is given from now on comes after what `first` holds. */
static enum gpu_status in_order(const struct gpu_queue *first, const struct gpu_queue *second) {
    gpu_event_impl *event;
    enum gpu_status status = gpu_event_record(first, &event);
    if (status != GPU_OK)
        return status;
    status = gpu_queue_wait(second, event);
    first->backend->event_release(event);
    return status;
}

/* Straight from page-locked memory, or to it. */
static enum gpu_status copy_up(const struct gpu_queue *queue, gpu_mem dst, size_t offset,
                               const char *src, size_t bytes) {
    enum gpu_status status = GPU_OK;
    for (size_t done = 0, n; done < bytes && status == GPU_OK; done += n) {
        n = pinned_piece(src + done, bytes - done);
        status = gpu_write(queue, dst, offset + done, src + done, n);
    }
    return status;
}

static enum gpu_status copy_down(const struct gpu_queue *queue, char *dst, gpu_mem src,
                                 size_t offset, size_t bytes) {
    enum gpu_status status = GPU_OK;
    for (size_t done = 0, n; done < bytes && status == GPU_OK; done += n) {
        n = pinned_piece(dst + done, bytes - done);
        status = gpu_read(queue, dst + done, src, offset + done, n);
    }
    return status;
}

static enum gpu_status upload_by_link(struct transfer *t, const struct gpu_queue *queue,
                                      gpu_mem dst, size_t offset, const void *src, size_t bytes) {
    if (pinned_reach(&t->dev, src, bytes)) {
        enum gpu_status status = copy_up(&t->link, dst, offset, src, bytes);
        return status == GPU_OK ? in_order(&t->link, queue) : status;
    }
    enum gpu_status status = staging_up(t->ring, &t->link, dst, offset, src, bytes);
    gpu_event_impl *last = staging_last(t->ring);
    return status == GPU_OK && last ? gpu_queue_wait(queue, last) : status;
}

enum gpu_status transfer_up(struct transfer *t, const struct gpu_queue *queue, gpu_mem dst,
                            size_t offset, const void *src, size_t bytes) {
    if (bytes == 0)
        return GPU_OK;
    if (!transfer_is_short(t, bytes))
        return upload_by_link(t, queue, dst, offset, src, bytes);
    return pinned_reach(&t->dev, src, bytes) ? copy_up(queue, dst, offset, src, bytes)
                                             : staging_up(t->ring, queue, dst, offset, src, bytes);
}

static void advise_large_pages(struct gate *gate, char *host, size_t bytes) {
    if (!pool_owns(host) && gate_enter(gate)) {
        pages_advise_large(host, bytes);
        gate_leave(gate);
    }
}

/* Where the gate has not been shut meanwhile, the memory is the program's again. */
static enum gpu_status release_direct(struct transfer *t) {
    if (!gate_enter(t->gate))
        return GPU_FAILED;
    gate_release(t->gate, t);
    gate_leave(t->gate);
    return GPU_OK;
}

/* The whole pages, if the device can write them. */
static enum gpu_status begin_directly(struct transfer *t, struct download *d) {
    char *begin;
    size_t whole = pages_within(d->dst, d->bytes, &begin);
    if (whole == 0 || !pinned_reach(&t->dev, d->dst, d->bytes))
        return GPU_OK;
    if (!gate_acquire(t->gate, t, begin, whole))
        return GPU_FAILED;
    d->head = (size_t)(begin - d->dst);
    d->whole = whole;
    return copy_down(d->by, begin, d->src, d->offset + d->head, whole);
}

enum gpu_status transfer_begin_down(struct transfer *t, const struct gpu_queue *queue, void *dst,
                                    gpu_mem src, size_t offset, size_t bytes) {
    t->down = (struct download){.by = transfer_is_short(t, bytes) ? queue : &t->link,
                                .dst = dst,
                                .src = src,
                                .offset = offset,
                                .bytes = bytes};
    enum gpu_status status = t->down.by == queue ? GPU_OK : in_order(queue, &t->link);
    return status == GPU_OK ? begin_directly(t, &t->down) : status;
}

/* Those from `at` to `end`. */
static enum gpu_status download_staged(struct transfer *t, const struct download *d, size_t at,
                                       size_t end) {
    return at == end ? GPU_OK
                     : staging_down(t->ring, d->by, d->dst + at, d->src, d->offset + at, end - at);
}

/* The parts at both ends are staged; the direct copy precedes them in the queue. */
static enum gpu_status end_directly(struct transfer *t, const struct download *d) {
    size_t behind = d->head + d->whole;
    enum gpu_status status = download_staged(t, d, 0, d->head);
    if (status == GPU_OK)
        status = download_staged(t, d, behind, d->bytes);
    if (status == GPU_OK && behind == d->bytes)
        status = gpu_finish(d->by);
    return status == GPU_OK ? release_direct(t) : status;
}

static enum gpu_status end_staged(struct transfer *t, const struct download *d) {
    advise_large_pages(t->gate, d->dst, d->bytes);
    return download_staged(t, d, 0, d->bytes);
}

void transfer_share(struct transfer *t, bool is_shared) {
    t->is_shared = is_shared;
}

bool transfer_is_short(const struct transfer *t, size_t bytes) {
    return t->is_shared && bytes <= SHORT_BYTES;
}

bool transfer_comes_directly(const struct transfer *t) {
    return t->down.whole > 0;
}

enum gpu_status transfer_end_down(struct transfer *t, const struct gpu_queue *queue) {
    enum gpu_status status = t->down.whole ? end_directly(t, &t->down) : end_staged(t, &t->down);
    return status == GPU_OK && t->down.by != queue ? gpu_finish(queue) : status;
}

enum gpu_status transfer_down(struct transfer *t, const struct gpu_queue *queue, void *dst,
                              gpu_mem src, size_t offset, size_t bytes) {
    enum gpu_status status = transfer_begin_down(t, queue, dst, src, offset, bytes);
    return status == GPU_OK ? transfer_end_down(t, queue) : status;
}

void transfer_release(struct transfer *t) {
    gate_release(t->gate, t);
}
