/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Uploads and downloads of a context: the queue for copies (the link), its order relative to the
 * queue for kernels, and the choice between direct and staged uploads. */
#include "config.h"

#include "lib/transfer/transfer.h"

#include <stdlib.h>

#include "lib/memory/pinned.h"
#include "lib/transfer/caller_memory.h"
#include "lib/transfer/download.h"
#include "lib/transfer/staging.h"

/* Copies of up to this many bytes go through the kernels' queue, all other copies through the queue
 * `link`, so that they overlap kernels. SHORT_BYTES: if several contexts are in use, because
 * synchronising two queues blocks the driver for all contexts. SHORT_STAGED: if one context alone
 * is in use and the host memory is not in the pool. */
#define SHORT_BYTES ((size_t)256 << 10)
#define SHORT_STAGED ((size_t)512 << 10)

struct transfer {
    struct download_path path;
    /* link: queue for copies; peers: queue for copies between devices, opened at first use */
    struct gpu_queue link, peers;
    struct download down[TRANSFER_DOWNLOADS]; /* downloads under way */
    unsigned downs;                           /* their count */
    bool is_shared;                           /* other contexts of the device are in use */
};

enum gpu_status transfer_open(const struct gpu_device *dev, struct lease *lease,
                              struct transfer **tp) {
    struct transfer *t = *tp = calloc(1, sizeof *t);
    if (!t)
        return GPU_NOMEM;
    t->path = (struct download_path){.dev = *dev, .lease = lease};
    enum gpu_status status = staging_open(dev, lease, &t->path.ring);
    if (status == GPU_OK && !dev->caps.jobs)
        status = gpu_queue_open(dev, &t->link);
    if (status != GPU_OK) {
        transfer_close(t);
        *tp = NULL;
    }
    return status;
}

static void forget_downloads(struct transfer *t) {
    for (unsigned i = 0; i < t->downs; i++)
        download_forget(&t->down[i]);
    t->downs = 0;
}

/* Ends the device's direct access to the program's memory. Fails if the device has not answered in
 * time, because the program's memory then lacks the device's data (lib/process/access_guard.h). */
static enum gpu_status release_direct(struct transfer *t) {
    return caller_release(t->path.lease) ? GPU_OK : GPU_FAILED;
}

/* Forgets downloads that have not ended. First waits for direct ones, since the device writes to
 * the program's memory. */
static enum gpu_status give_up_downloads(struct transfer *t) {
    enum gpu_status status = GPU_OK;
    bool is_direct = false;
    for (unsigned i = 0; i < t->downs && status == GPU_OK; i++)
        if (t->down[i].whole) {
            is_direct = true;
            status = gpu_finish(t->down[i].by);
        }
    forget_downloads(t);
    return status == GPU_OK && is_direct ? release_direct(t) : status;
}

/* Forgets the downloads. After GPU_NOMEM, also waits for them, because the operation may be
 * repeated. After other failures the caller waits for the device. */
static enum gpu_status failed(struct transfer *t, enum gpu_status status) {
    if (status == GPU_NOMEM)
        give_up_downloads(t);
    else
        forget_downloads(t);
    return status;
}

enum gpu_status transfer_drain(struct transfer *t) {
    enum gpu_status link = t->link.impl ? gpu_finish(&t->link) : GPU_OK;
    enum gpu_status peers = t->peers.impl ? gpu_finish(&t->peers) : GPU_OK;
    enum gpu_status downloads = give_up_downloads(t);
    staging_clear(t->path.ring);
    if (far_here() && far_here()->ring && !far_here()->is_shared)
        staging_clear(far_here()->ring);
    return link != GPU_OK ? link : peers != GPU_OK ? peers : downloads;
}

char *transfer_staging(struct transfer *t) {
    return staging_host(t->path.ring);
}

void transfer_wipe(struct transfer *t) {
    staging_wipe(t->path.ring);
    if (far_here() && far_here()->ring)
        staging_wipe(far_here()->ring);
}

void transfer_close(struct transfer *t) {
    if (t->link.impl) {
        transfer_drain(t);
        gpu_queue_close(&t->link);
    }
    if (t->peers.impl)
        gpu_queue_close(&t->peers);
    if (t->path.ring)
        staging_close(t->path.ring);
    free(t);
}

/* Makes `second` wait for the commands now in `first`. */
static enum gpu_status in_order(const struct gpu_queue *first, const struct gpu_queue *second) {
    gpu_event_impl *event;
    enum gpu_status status = gpu_event_record(first, &event);
    if (status != GPU_OK)
        return status;
    status = gpu_queue_wait(second, event);
    first->backend->event_release(event);
    return status;
}

/* Uploads directly from page-locked memory of the host. */
static enum gpu_status copy_up(const struct gpu_queue *queue, gpu_mem dst, size_t offset,
                               const char *src, size_t bytes) {
    enum gpu_status status = GPU_OK;
    for (size_t done = 0, n; done < bytes && status == GPU_OK; done += n) {
        n = pinned_piece(src + done, bytes - done);
        status = gpu_write(queue, dst, offset + done, src + done, n);
    }
    return status;
}

static enum gpu_status upload_by_link(struct transfer *t, const struct gpu_queue *queue,
                                      gpu_mem dst, size_t offset, const void *src, size_t bytes) {
    if (caller_reaches(&t->path.dev, src, bytes)) {
        enum gpu_status status = copy_up(&t->link, dst, offset, src, bytes);
        return status == GPU_OK ? in_order(&t->link, queue) : status;
    }
    enum gpu_status status =
        staging_up(download_ring(&t->path, src), &t->link, dst, offset, src, bytes);
    gpu_event_impl *last = staging_last(download_ring(&t->path, src));
    return status == GPU_OK && last ? gpu_queue_wait(queue, last) : status;
}

enum gpu_status transfer_up(struct transfer *t, const struct gpu_queue *queue, gpu_mem dst,
                            size_t offset, const void *src, size_t bytes) {
    if (bytes == 0)
        return GPU_OK;
    if (!transfer_is_short(t, src, bytes))
        return upload_by_link(t, queue, dst, offset, src, bytes);
    return caller_reaches(&t->path.dev, src, bytes)
               ? copy_up(queue, dst, offset, src, bytes)
               : staging_up(download_ring(&t->path, src), queue, dst, offset, src, bytes);
}

enum gpu_status transfer_begin_up(struct transfer *t, gpu_mem dst, size_t offset, const void *src,
                                  size_t bytes, bool *is_begun) {
    *is_begun = caller_reaches(&t->path.dev, src, bytes);
    return *is_begun ? copy_up(&t->link, dst, offset, src, bytes) : GPU_OK;
}

enum gpu_status transfer_end_up(struct transfer *t, const struct gpu_queue *queue) {
    return in_order(&t->link, queue);
}

enum gpu_status transfer_from_peer(struct transfer *t, const struct gpu_queue *queue, gpu_mem dst,
                                   size_t offset, gpu_device_impl *from, gpu_mem src,
                                   size_t src_offset, size_t bytes) {
    enum gpu_status status = t->peers.impl ? GPU_OK : gpu_queue_open(&t->path.dev, &t->peers);
    if (status == GPU_OK)
        status = gpu_peer_copy(&t->peers, dst, offset, from, src, src_offset, bytes);
    return status == GPU_OK ? in_order(&t->peers, queue) : status;
}

enum gpu_status transfer_begin_down(struct transfer *t, const struct gpu_queue *queue, void *dst,
                                    gpu_mem src, size_t offset, size_t bytes) {
    if (t->downs == TRANSFER_DOWNLOADS)
        return GPU_FAILED;
    struct download *d = &t->down[t->downs++];
    *d = (struct download){.by = transfer_is_short(t, dst, bytes) ? queue : &t->link,
                           .dst = dst,
                           .src = src,
                           .offset = offset,
                           .bytes = bytes};
    d->is_late = t->downs > 1 ? t->down[0].is_late : download_is_late(&t->path, bytes);
    enum gpu_status status = download_begin(&t->path, d, queue);
    return status == GPU_OK ? GPU_OK : failed(t, status);
}

void transfer_share(struct transfer *t, unsigned contexts) {
    t->is_shared = contexts > 1;
    staging_share(t->path.ring, contexts);
    if (far_here() && far_here()->ring)
        staging_share(far_here()->ring, contexts);
}

bool transfer_is_short(const struct transfer *t, const void *host, size_t bytes) {
    return t->is_shared ? bytes <= SHORT_BYTES
                        : bytes <= SHORT_STAGED && !caller_is_in_pool(host, bytes);
}

bool transfer_comes_directly(const struct transfer *t) {
    bool all = true;
    for (unsigned i = 0; i < t->downs; i++)
        all = all && t->down[i].whole > 0 && !t->down[i].is_late;
    return all;
}

enum gpu_status transfer_end_down(struct transfer *t, const struct gpu_queue *queue) {
    enum gpu_status status = GPU_OK;
    bool is_direct = false, finishes = false;
    for (unsigned i = 0; i < t->downs && status == GPU_OK; i++) {
        struct download *d = &t->down[i];
        status = download_end(&t->path, d);
        is_direct = is_direct || d->whole;
        finishes = finishes || d->by != queue || d->bytes == 0;
    }
    if (status != GPU_OK)
        return failed(t, status);
    forget_downloads(t);
    if (is_direct)
        status = release_direct(t);
    return status == GPU_OK && finishes ? gpu_finish(queue) : status;
}

enum gpu_status transfer_down(struct transfer *t, const struct gpu_queue *queue, void *dst,
                              gpu_mem src, size_t offset, size_t bytes) {
    enum gpu_status status = transfer_begin_down(t, queue, dst, src, offset, bytes);
    return status == GPU_OK ? transfer_end_down(t, queue) : status;
}

void transfer_release(struct transfer *t) {
    caller_release(t->path.lease);
}
