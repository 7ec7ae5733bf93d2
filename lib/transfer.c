/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Between host memory and the device.  A transfer is cut into chunks, which the
 * threads of the pool take one after the other.  Each thread owns two page-locked
 * blocks: while the link works on one, the thread fills or empties the other.  All
 * chunks go through the caller's queue, so that they are ordered before and after
 * its other work; among themselves their order does not matter.
 *
 * The device touches no other memory than the blocks, even where it is the CPU and could:
 * when a call fails, a copy may still be under way, and then it must not come into
 * memory that the program has back.  Memory of the pool that is page-locked is another
 * matter: the device reaches it directly, and lib/gate.h keeps late answers out. */
#include "config.h"

#include "transfer.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "copier.h"
#include "gate.h"
#include "log.h"
#include "pinned.h"
#include "pool.h"

#define BLOCK_BYTES ((size_t)2 << 20)   /* 38 us of the link */
#define SMALL_CHUNK ((size_t)256 << 10) /* 5 us of the link, as much as a call costs */
#define POOL_BYTES ((size_t)4 << 20)    /* from here on several threads */
#define HUGE_BYTES ((size_t)4 << 20)    /* from here on large pages are asked for */

struct block {
    char *host;
    gpu_event_impl *event; /* the copy under way, or NULL */
};

struct transfer {
    struct gpu_device dev;
    struct copier *copier;
    char *ring;
    struct block block[COPIER_MOST][2];
    int turn[COPIER_MOST]; /* which of the two comes next */
};

/* One transfer; `host` is the source or destination. */
struct job {
    struct transfer *t;
    const struct gpu_queue *queue;
    char *host;
    gpu_mem mem;
    size_t offset, bytes, chunk;
    atomic_size_t next; /* the first byte that no thread has taken */
    atomic_int status;  /* of the first call that failed */
};

/* A chunk that a thread works on. */
struct part {
    struct block *block;
    size_t at, bytes;
};

int transfer_open(const struct gpu_device *dev, struct transfer **tp) {
    struct transfer *t = calloc(1, sizeof *t);
    *tp = t;
    if (!t)
        return GPU_NOMEM;
    t->dev = *dev;
    t->copier = copier_open();
    void *ring = NULL;
    int status = GPU_NOMEM;
    if (t->copier) {
        size_t blocks = 2 * (size_t)copier_threads(t->copier);
        status = dev->backend->host_alloc(dev->impl, blocks * BLOCK_BYTES, &ring);
    }
    if (status != GPU_OK) {
        transfer_close(t);
        *tp = NULL;
        return status;
    }
    t->ring = ring;
    for (int i = 0; i < 2 * copier_threads(t->copier); i++)
        t->block[i / 2][i % 2].host = t->ring + (size_t)i * BLOCK_BYTES;
    return GPU_OK;
}

/* Wait until the link is done with a block. */
static int block_wait(const struct transfer *t, struct block *block) {
    if (!block->event)
        return GPU_OK;
    int status = t->dev.backend->event_wait(block->event);
    t->dev.backend->event_release(block->event);
    block->event = NULL;
    return status;
}

int transfer_settle(struct transfer *t) {
    int status = GPU_OK;
    for (int i = 0; i < 2 * COPIER_MOST; i++) {
        int one = block_wait(t, &t->block[i / 2][i % 2]);
        status = status == GPU_OK ? one : status;
    }
    return status;
}

void transfer_close(struct transfer *t) {
    transfer_settle(t);
    if (t->ring)
        t->dev.backend->host_release(t->dev.impl, t->ring);
    if (t->copier)
        copier_close(t->copier);
    free(t);
}

/* Take the next chunk, and a block that is free for it; 0 if there is none left,
 * or a call has failed. */
static int take(struct job *job, int worker, struct part *part) {
    struct transfer *t = job->t;
    if (atomic_load(&job->status) != GPU_OK)
        return 0;
    part->at = atomic_fetch_add(&job->next, job->chunk);
    if (part->at >= job->bytes)
        return 0;
    part->bytes = job->bytes - part->at < job->chunk ? job->bytes - part->at : job->chunk;
    part->block = &t->block[worker][t->turn[worker]];
    t->turn[worker] ^= 1;
    return 1;
}

/* The status of a job is that of its first failure. */
static void note(struct job *job, int status) {
    int none = GPU_OK;
    if (status != GPU_OK && atomic_compare_exchange_strong(&job->status, &none, status))
        mpgpu_log(LOG_DETAIL, "transfer: %s: %s", gpu_status_text(status), gpu_error_text());
}

/* To or from memory of the program. */
static int copy(void *dst, const void *src, size_t bytes) {
    if (!gate_enter())
        return GPU_FAILED;
    memcpy(dst, src, bytes);
    gate_leave();
    return GPU_OK;
}

static int part_up(struct job *job, const struct part *part) {
    int status = block_wait(job->t, part->block);
    if (status == GPU_OK)
        status = copy(part->block->host, job->host + part->at, part->bytes);
    if (status != GPU_OK)
        return status;
    status =
        gpu_write(job->queue, job->mem, job->offset + part->at, part->block->host, part->bytes);
    if (status == GPU_OK)
        status = job->queue->backend->event_record(job->queue->impl, &part->block->event);
    return status;
}

static void work_up(void *context, int worker) {
    struct job *job = context;
    struct part part;
    while (take(job, worker, &part))
        note(job, part_up(job, &part));
}

static int part_read(struct job *job, const struct part *part) {
    int status = block_wait(job->t, part->block);
    if (status == GPU_OK)
        status =
            gpu_read(job->queue, part->block->host, job->mem, job->offset + part->at, part->bytes);
    if (status == GPU_OK)
        status = job->queue->backend->event_record(job->queue->impl, &part->block->event);
    return status;
}

static int part_store(struct job *job, const struct part *part) {
    int status = block_wait(job->t, part->block);
    if (status == GPU_OK)
        status = copy(job->host + part->at, part->block->host, part->bytes);
    return status;
}

/* The next chunk is on its way while the one before it is stored. */
static void work_down(void *context, int worker) {
    struct job *job = context;
    struct part part, before;
    int some = 0;
    while (take(job, worker, &part)) {
        note(job, part_read(job, &part));
        if (some)
            note(job, part_store(job, &before));
        before = part;
        some = 1;
    }
    if (some && atomic_load(&job->status) == GPU_OK)
        note(job, part_store(job, &before));
}

/* Several chunks a thread, so that all end at about the same time. */
static size_t chunk_bytes(size_t bytes, int threads) {
    size_t share = bytes / (4 * (size_t)threads) / SMALL_CHUNK * SMALL_CHUNK;
    return share < SMALL_CHUNK ? SMALL_CHUNK : share > BLOCK_BYTES ? BLOCK_BYTES : share;
}

static int run(struct job *job, void (*work)(void *job, int worker)) {
    struct copier *copier = job->t->copier;
    if (job->bytes < POOL_BYTES) {
        job->chunk = SMALL_CHUNK;
        work(job, 0);
    } else {
        job->chunk = chunk_bytes(job->bytes, copier_threads(copier));
        copier_run(copier, work, job);
    }
    return atomic_load(&job->status);
}

/* Straight from page-locked memory, or to it. */
static int copy_up(const struct gpu_queue *queue, gpu_mem dst, size_t offset, const char *src,
                   size_t bytes) {
    int status = GPU_OK;
    for (size_t done = 0, n; done < bytes && status == GPU_OK; done += n) {
        n = pinned_piece(src + done, bytes - done);
        status = gpu_write(queue, dst, offset + done, src + done, n);
    }
    return status;
}

static int copy_down(const struct gpu_queue *queue, char *dst, gpu_mem src, size_t offset,
                     size_t bytes) {
    int status = GPU_OK;
    for (size_t done = 0, n; done < bytes && status == GPU_OK; done += n) {
        n = pinned_piece(dst + done, bytes - done);
        status = gpu_read(queue, dst + done, src, offset + done, n);
    }
    return status;
}

int transfer_up(struct transfer *t, const struct gpu_queue *queue, gpu_mem dst, size_t offset,
                const void *src, size_t bytes) {
    if (bytes == 0)
        return GPU_OK;
    if (pinned_reach(&t->dev, src, bytes))
        return copy_up(queue, dst, offset, src, bytes);
    struct job job = {
        .t = t, .queue = queue, .host = (char *)src, .mem = dst, .offset = offset, .bytes = bytes};
    return run(&job, work_up);
}

/* The whole pages of {host, bytes}. */
static size_t whole_pages(char *host, size_t bytes, char **begin) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)host + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)host + bytes) / page * page;
    *begin = (char *)first;
    return end > first ? end - first : 0;
}

/* A result that lies in fresh memory costs a page fault a page: fewer pages. */
static void ask_for_large_pages(char *host, size_t bytes) {
    char *begin;
    size_t whole = whole_pages(host, bytes, &begin);
    if (bytes >= HUGE_BYTES && !pool_owns(host) && gate_enter()) {
        madvise(begin, whole, MADV_HUGEPAGE);
        gate_leave();
    }
}

/* Through the ring, complete on return. */
static int down(struct transfer *t, const struct gpu_queue *queue, char *dst, gpu_mem src,
                size_t offset, size_t bytes) {
    struct job job = {
        .t = t, .queue = queue, .host = dst, .mem = src, .offset = offset, .bytes = bytes};
    int status = run(&job, work_down), settled = transfer_settle(t);
    return status == GPU_OK ? settled : status;
}

/* The whole pages directly, and the rest through the ring, the end last: it waits for all
 * that is in the queue. */
static int down_directly(struct transfer *t, const struct gpu_queue *queue, char *dst, gpu_mem src,
                         size_t offset, size_t bytes) {
    char *begin;
    size_t whole = whole_pages(dst, bytes, &begin), head = (size_t)(begin - dst);
    size_t behind = head + whole;
    if (!gate_lend(t, begin, whole))
        return GPU_FAILED;
    int status = copy_down(queue, begin, src, offset + head, whole);
    if (status == GPU_OK && head > 0)
        status = down(t, queue, dst, src, offset, head);
    if (status == GPU_OK)
        status = behind < bytes ? down(t, queue, dst + behind, src, offset + behind, bytes - behind)
                                : gpu_finish(queue);
    if (status == GPU_OK)
        gate_end_loans(t);
    return status;
}

int transfer_down(struct transfer *t, const struct gpu_queue *queue, void *dst, gpu_mem src,
                  size_t offset, size_t bytes) {
    char *begin;
    if (bytes == 0)
        return gpu_finish(queue);
    if (whole_pages(dst, bytes, &begin) > 0 && pinned_reach(&t->dev, dst, bytes))
        return down_directly(t, queue, dst, src, offset, bytes);
    ask_for_large_pages(dst, bytes);
    return down(t, queue, dst, src, offset, bytes);
}

void transfer_end_loans(struct transfer *t) {
    gate_end_loans(t);
}
