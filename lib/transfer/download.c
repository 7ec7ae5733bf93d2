/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Direct and staged downloads. The device writes directly only to memory of the pool that is
 * page-locked. lib/process/access_guard.h protects the program from late writes. */
#include "config.h"

#include "lib/transfer/download.h"

#include <stdlib.h>

#include "gpu/host/pages.h"
#include "lib/memory/pinned.h"
#include "lib/memory/pool.h"
#include "lib/process/event.h"
#include "lib/transfer/caller_memory.h"

/* Bytes of a piece of a direct download. Copying a piece takes 1 to 7 ms on a GPU's link, and
 * about the same on a CPU. */
#define GPU_PIECE ((size_t)64 << 20)
#define CPU_PIECE ((size_t)16 << 20)

/* Below these limits a whole download is queued immediately: its bytes, and the time since its job
 * began. */
#define SHORT_BYTES ((size_t)4 << 20)
enum { SHORT_NS = 2000000 };

bool download_is_late(const struct download_path *p, size_t bytes) {
    return p->dev.caps.is_cpu || bytes > SHORT_BYTES ||
           event_clock() - atomic_load(&p->lease->began) > SHORT_NS;
}

void download_forget(struct download *d) {
    if (d->after)
        d->by->backend->event_release(d->after);
    d->after = NULL;
}

/* Makes the download's queue wait for the commands that were queued before the download. */
static enum gpu_status come_after(struct download *d) {
    if (!d->after)
        return GPU_OK;
    enum gpu_status status = gpu_queue_wait(d->by, d->after);
    download_forget(d);
    return status;
}

/* Waits in this thread for the commands that were queued before the download. */
static enum gpu_status wait_for_kernels(struct download *d) {
    if (!d->after)
        return gpu_finish(d->by);
    enum gpu_status status = d->by->backend->event_wait(d->after);
    download_forget(d);
    return status;
}

static enum gpu_status copy_down(const struct download *d, size_t at, size_t bytes) {
    enum gpu_status status = GPU_OK;
    for (size_t done = 0, n; done < bytes && status == GPU_OK; done += n) {
        n = pinned_piece(d->dst + at + done, bytes - done);
        status = gpu_read(d->by, d->dst + at + done, d->src, d->offset + at + done, n);
    }
    return status;
}

static enum gpu_status begin_piece(const struct download_path *p, const struct download *d,
                                   size_t at, size_t bytes) {
    return caller_acquire(p->lease, d->dst + at, bytes) ? copy_down(d, at, bytes)
                                                        : caller_refusal(p->lease);
}

/* Begins a download. Whole pages are copied directly if the device can write to them; this copy is
 * queued here or in download_end. All other bytes go through the staging ring in download_end. */
enum gpu_status download_begin(const struct download_path *p, struct download *d,
                               const struct gpu_queue *queue) {
    char *begin;
    enum gpu_status status = d->by == queue ? GPU_OK : gpu_event_record(queue, &d->after);
    if (status != GPU_OK)
        d->after = NULL;
    size_t whole = pages_within(d->dst, d->bytes, &begin);
    if (status != GPU_OK || whole == 0 || !caller_reaches(&p->dev, d->dst, d->bytes))
        return status;
    d->head = (size_t)(begin - d->dst);
    d->whole = whole;
    if (d->is_late)
        return GPU_OK;
    status = come_after(d);
    return status == GPU_OK ? begin_piece(p, d, d->head, whole) : status;
}

/* Downloads into memory of the pool (the library's allocator) of a caller in another process:
 * copies to a buffer of this process, and asks the caller to store the bytes. */
static enum gpu_status download_for_caller(const struct download_path *p, const struct download *d,
                                           size_t at, size_t end) {
    const size_t most = end - at < FAR_BUFFER ? end - at : FAR_BUFFER;
    char *here = malloc(most);
    enum gpu_status status = here ? GPU_OK : GPU_NOMEM;
    for (size_t n; at < end && status == GPU_OK; at += n) {
        n = end - at < most ? end - at : most;
        status = staging_down(p->ring, d->by, here, d->src, d->offset + at, n);
        if (status == GPU_OK && !caller_write(p->lease, d->dst + at, here, n))
            status = caller_refusal(p->lease);
    }
    free(here);
    return status;
}

/* Downloads bytes `at` to `end` through the staging ring. */
static enum gpu_status download_staged(const struct download_path *p, const struct download *d,
                                       size_t at, size_t end) {
    if (at < end && !far_is_address(d->dst) && caller_locate(d->dst + at, end - at))
        return download_for_caller(p, d, at, end);
    return at == end ? GPU_OK
                     : staging_down(download_ring(p, d->dst), d->by, d->dst + at, d->src,
                                    d->offset + at, end - at);
}

/* Downloads the directly copied pages piece by piece. Releases the lease after each piece, so
 * that the caller can withdraw its memory before a signal handler runs. */
static enum gpu_status end_pieces(const struct download_path *p, struct download *d) {
    size_t piece = p->dev.caps.is_cpu ? CPU_PIECE : GPU_PIECE;
    enum gpu_status status = wait_for_kernels(d);
    for (size_t done = 0, n; done < d->whole && status == GPU_OK; done += n) {
        n = d->whole - done < piece ? d->whole - done : piece;
        status = begin_piece(p, d, d->head + done, n);
        if (status == GPU_OK)
            status = gpu_finish(d->by);
        if (status == GPU_OK && !caller_release(p->lease))
            status = GPU_FAILED;
    }
    return status;
}

/* Completes a direct download: copies the bytes before and after the whole pages through the
 * staging ring, after the direct copy. */
static enum gpu_status end_directly(const struct download_path *p, struct download *d) {
    size_t behind = d->head + d->whole;
    enum gpu_status status = d->is_late ? end_pieces(p, d) : GPU_OK;
    if (status == GPU_OK)
        status = download_staged(p, d, 0, d->head);
    if (status == GPU_OK)
        status = download_staged(p, d, behind, d->bytes);
    return status == GPU_OK && behind == d->bytes && !d->is_late ? gpu_finish(d->by) : status;
}

static void advise_large_pages(struct lease *lease, char *host, size_t bytes) {
    const void *memory = pool_owns(host) || far_here() ? NULL : caller_enter(lease, host, bytes);
    if (memory) {
        pages_advise_large((void *)memory, bytes);
        caller_leave(lease);
    }
}

enum gpu_status download_end(const struct download_path *p, struct download *d) {
    if (d->whole)
        return end_directly(p, d);
    advise_large_pages(p->lease, d->dst, d->bytes);
    enum gpu_status status = come_after(d);
    return status == GPU_OK ? download_staged(p, d, 0, d->bytes) : status;
}
