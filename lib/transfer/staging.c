/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The staging ring. Any free thread copies chunks (lib/transfer/staging_chunks.h) between the ring
 * and the program's memory. Only the calling thread calls the device: it queues copies between the
 * ring and the device. While it has no copy to queue, it copies chunks too. */
#include "lib/transfer/staging.h"

#include <stdlib.h>

#include "lib/base/ceil_div.h"
#include "lib/base/log.h"
#include "lib/base/min.h"
#include "lib/memory/wipe.h"
#include "lib/process/backoff.h"
#include "lib/process/thread_pool.h"
#include "lib/transfer/caller_memory.h"
#include "lib/transfer/far.h"
#include "lib/transfer/staging_chunks.h"

/* minimum bytes of a copy by the device; each copy costs 3 us of link time besides its bytes */
#define LEAST_GROUP ((size_t)512 << 10)
#define LARGE_GROUP ((size_t)1 << 20)
#define MOST_GROUPS 64

/* Number of copying threads that is assumed for another process when the chunk size is chosen. The
 * lower this number, the larger the chunks. Large chunks are better here, since each chunk costs
 * two messages between caches. */
enum { FAR_WIDTH = 2 };

/* How long threads spin for the next chunk before they sleep, on a device that needs no CPU. It
 * covers the time between two transfers of a product. */
enum { SPIN_NS = 500000 };

/* A group: chunks that the device copies by one command. `event` completes when all bytes of the
 * ring before place `upto` are copied. */
struct group {
    gpu_event_impl *event;
    uint64_t upto;
};

struct staging {
    struct gpu_device dev;
    struct staging_memory memory;
    /* marks of copied chunks, if the ring belongs to this process */
    _Atomic uint64_t marks[STAGING_MARKS];
    bool is_far; /* the ring is shared with another process, whose threads copy */
    /* numbers of copying threads, including the calling one: the maximum, and for the current
     * operation */
    unsigned width, threads;
    uint64_t next;   /* the first place (byte number in the ring) not yet used by a transfer */
    uint64_t wiped;  /* bytes before this place are cleared */
    uint64_t passed; /* the device has finished copying everything before this place */
    struct group group[MOST_GROUPS];
    unsigned first, groups; /* groups under way */
};

/* One transfer. */
struct job {
    struct staging *ring;
    const struct gpu_queue *queue;
    gpu_mem mem;
    size_t offset, group;
    enum gpu_status (*transfer)(struct job *job);
    enum gpu_status status;
    unsigned threads;
    struct staging_progress progress;
    /* the value that this process has written to chunks.progress->open; another process may change
     * that field */
    size_t open;
    struct staging_chunks chunks;
};

enum gpu_status staging_open(const struct gpu_device *dev, struct lease *lease,
                             struct staging **ringp) {
    struct staging *ring = *ringp = calloc(1, sizeof *ring);
    if (!ring)
        return GPU_NOMEM;
    void *host = NULL;
    ring->dev = *dev;
    ring->memory.mark = ring->marks;
    ring->memory.lease = lease;
    ring->memory.is_cpu = dev->caps.is_cpu;
    ring->memory.spin_ns = dev->caps.is_cpu ? 0 : SPIN_NS;
    ring->width = ring->threads = thread_pool_width();
    enum gpu_status status = dev->backend->host_alloc(dev->impl, STAGING_BYTES, &host);
    ring->memory.host = host;
    if (status != GPU_OK) {
        staging_close(ring);
        *ringp = NULL;
    }
    return status;
}

enum gpu_status staging_open_far(const struct gpu_device *dev, char *host, _Atomic uint64_t *mark,
                                 struct staging **ringp) {
    struct staging *ring = *ringp = calloc(1, sizeof *ring);
    if (!ring)
        return GPU_NOMEM;
    ring->dev = *dev;
    ring->is_far = true;
    ring->memory = (struct staging_memory){.host = host,
                                           .is_cpu = dev->caps.is_cpu,
                                           .spin_ns = dev->caps.is_cpu ? 0 : SPIN_NS,
                                           .mark = mark};
    ring->width = ring->threads = thread_pool_width();
    for (size_t i = 0; i < STAGING_MARKS; i++)
        atomic_store_explicit(&mark[i], 0, memory_order_relaxed);
    return GPU_OK;
}

/* Sets the number of threads that copy for this ring. It is one more than the ring's equal part of
 * all threads, since the rings seldom transfer at the same time. */
void staging_share(struct staging *ring, unsigned rings) {
    ring->threads =
        rings > 1 ? (unsigned)min_u64(ring->width, ring->width / rings + 1) : ring->width;
}

char *staging_host(struct staging *ring) {
    return ring->memory.host;
}

void staging_close(struct staging *ring) {
    staging_clear(ring);
    if (ring->memory.host && !ring->is_far)
        ring->dev.backend->host_release(ring->dev.impl, ring->memory.host);
    free(ring);
}

/* ---- groups of chunks that the device is copying */

static void drop_group(struct staging *ring) {
    ring->dev.backend->event_release(ring->group[ring->first].event);
    ring->first = (ring->first + 1) % MOST_GROUPS;
    ring->groups--;
}

void staging_clear(struct staging *ring) {
    while (ring->groups > 0)
        drop_group(ring);
    ring->passed = ring->next;
}

void staging_wipe(struct staging *ring) {
    uint64_t begin = ring->wiped % STAGING_BYTES, all = ring->next - ring->wiped;
    uint64_t bytes = all < STAGING_BYTES ? all : STAGING_BYTES;
    uint64_t first = bytes < STAGING_BYTES - begin ? bytes : STAGING_BYTES - begin;
    wipe(ring->memory.host + begin, first);
    wipe(ring->memory.host, bytes - first);
    ring->wiped = ring->next;
}

/* Waits until the device has copied the oldest group of chunks. */
static enum gpu_status wait_for_group(struct staging *ring) {
    const struct group *g = &ring->group[ring->first];
    enum gpu_status status = ring->dev.backend->event_wait(g->event);
    ring->passed = g->upto;
    drop_group(ring);
    return status;
}

/* Records the event of a group that was queued just now and ends before place `upto`. */
static enum gpu_status begin_group(struct job *job, uint64_t upto) {
    struct staging *ring = job->ring;
    enum gpu_status status = ring->groups == MOST_GROUPS ? wait_for_group(ring) : GPU_OK;
    struct group *g = &ring->group[(ring->first + ring->groups) % MOST_GROUPS];
    g->upto = upto;
    if (status == GPU_OK)
        status = gpu_event_record(job->queue, &g->event);
    ring->groups += status == GPU_OK;
    return status;
}

/* ---- functions for the calling thread, which alone calls the device */

/* Returns the number of chunks from chunk i that form one group. They are neighbours in the
 * ring, and few, so that the device begins soon. The result does not depend on timing: the same
 * transfer makes the same device calls each time, unless it is longer than the ring. */
static size_t group_size(const struct job *job, size_t i) {
    const struct staging_chunks *c = &job->chunks;
    size_t to_end =
        (size_t)((STAGING_BYTES - staging_chunks_place(c, i) % STAGING_BYTES) / c->chunk);
    size_t most = job->group / c->chunk, count = c->count - i;
    most = to_end < most ? to_end : most;
    return count < most ? count : most;
}

/* Upload: queues the copy of the next group to the device if all of its chunks have been copied
 * into the ring. */
static enum gpu_status send(struct job *job, size_t *sent) {
    const struct staging_chunks *c = &job->chunks;
    size_t count = group_size(job, *sent), copied = 0;
    while (copied < count && staging_chunks_are_copied(c, *sent + copied))
        copied++;
    if (copied < count)
        return GPU_OK;
    enum gpu_status status =
        gpu_write(job->queue, job->mem, job->offset + staging_chunks_offset(c, *sent),
                  staging_chunks_address(c, *sent), staging_chunks_bytes(c, *sent, count));
    *sent += count;
    return status == GPU_OK ? begin_group(job, staging_chunks_place(c, *sent)) : status;
}

/* Copies one chunk if more than `left` chunks are ready. Does nothing for a ring shared with
 * another process, whose threads copy. */
static bool copy_one(struct job *job, size_t left) {
    return !job->ring->is_far && staging_chunks_copy_one(&job->chunks, left);
}

/* Pauses before checking again whether other threads have copied chunks. Returns GPU_LEFT if a
 * caller in another process has left the job. */
static enum gpu_status nap(struct job *job, struct backoff *b) {
    backoff_nap(b);
    if (!job->ring->is_far || b->since == 0 ||
        !(far_has_left(far_here(), b->since) || far_is_over(far_here())))
        return GPU_OK;
    atomic_store(&job->chunks.progress->is_over, 1);
    return GPU_LEFT;
}

static void set_open(struct job *job, size_t open) {
    job->open = open;
    atomic_store(&job->chunks.progress->open, open);
}

static enum gpu_status upload(struct job *job) {
    struct staging_chunks *c = &job->chunks;
    size_t sent = 0;
    enum gpu_status status = GPU_OK;
    struct backoff none = {.spin_ns = c->memory->spin_ns}, backoff = none;
    while (sent < c->count && status == GPU_OK) {
        size_t before = sent;
        set_open(job, staging_chunks_with_room(c, job->ring->passed));
        status = send(job, &sent);
        if (sent > before || status != GPU_OK || copy_one(job, 0))
            backoff = none;
        else if (atomic_load(&c->progress->is_over))
            status = caller_refusal(c->memory->lease);
        else if (job->open < c->count && job->ring->groups > 0)
            status = wait_for_group(job->ring);
        else
            status = nap(job, &backoff);
    }
    return status;
}

/* Download: queues the copy of the next group from the device into the ring. */
static enum gpu_status ask(struct job *job, size_t *asked) {
    const struct staging_chunks *c = &job->chunks;
    size_t count = group_size(job, *asked);
    enum gpu_status status = gpu_read(job->queue, staging_chunks_address(c, *asked), job->mem,
                                      job->offset + staging_chunks_offset(c, *asked),
                                      staging_chunks_bytes(c, *asked, count));
    *asked += count;
    return status == GPU_OK ? begin_group(job, staging_chunks_place(c, *asked)) : status;
}

static enum gpu_status receive(struct job *job) {
    struct staging_chunks *c = &job->chunks;
    enum gpu_status status = wait_for_group(job->ring);
    if (status == GPU_OK)
        set_open(job, (size_t)((job->ring->passed - c->place) / c->chunk));
    return status;
}

static enum gpu_status download(struct job *job) {
    struct staging_chunks *c = &job->chunks;
    size_t asked = 0, stored = 0, others = job->threads - 1;
    enum gpu_status status = GPU_OK;
    struct backoff none = {.spin_ns = c->memory->spin_ns}, backoff = none;
    while (status == GPU_OK) {
        for (; stored < c->count && staging_chunks_are_copied(c, stored); stored++)
            backoff = none;
        if (stored == c->count)
            break;
        size_t room = staging_chunks_with_room(c, staging_chunks_place(c, stored));
        if (asked < c->count && asked + group_size(job, asked) <= room)
            status = ask(job, &asked);
        else if (copy_one(job, job->open < asked ? others : 0))
            backoff = none;
        else if (job->open < asked)
            status = receive(job);
        else if (atomic_load(&c->progress->is_over))
            status = caller_refusal(c->memory->lease);
        else
            status = nap(job, &backoff);
    }
    /* waits for all groups, because a faulty process may mark chunks before the device has
     * copied them */
    while (status == GPU_OK && job->ring->groups > 0)
        status = wait_for_group(job->ring);
    return status;
}

/* Returns a chunk size that gives each thread several chunks, so that all threads end at about
 * the same time. */
static size_t suitable_chunk(unsigned threads, size_t bytes) {
    size_t chunk = LEAST_CHUNK;
    while (chunk < LARGE_CHUNK && chunk * 4 * threads < bytes)
        chunk *= 2;
    return chunk;
}

/* Returns the size in bytes of a group of chunks: a quarter of the transfer, from LEAST_GROUP to
 * LARGE_GROUP, so that the device and the threads copy at the same time. */
static size_t suitable_group(size_t bytes) {
    size_t group = bytes / 4;
    return group < LEAST_GROUP ? LEAST_GROUP : group < LARGE_GROUP ? group : LARGE_GROUP;
}

/* Returns how many threads copy the chunks of a transfer: more for many bytes, unless other rings
 * share the threads. */
static unsigned threads_of(const struct staging *ring, size_t bytes) {
    if (bytes < STAGING_ALONE)
        return 1;
    return ring->threads < ring->width ? ring->threads : thread_pool_widen(ring->width, bytes);
}

/* Reserves places in the ring for a transfer, and chooses its chunks. For a download, forgets the
 * groups of chunks that the device is still copying: the download is queued after them, so they end
 * before it. */
static void take_places(struct job *job) {
    struct staging *ring = job->ring;
    struct staging_chunks *c = &job->chunks;
    if (c->is_down)
        staging_clear(ring);
    job->threads = threads_of(ring, c->bytes);
    c->memory = &ring->memory;
    c->chunk = suitable_chunk(job->threads == 1 ? 1
                              : ring->is_far    ? FAR_WIDTH
                                                : job->threads,
                              c->bytes);
    c->count = ceil_div(c->bytes, c->chunk);
    c->place = ceil_div(ring->next, c->chunk) * c->chunk;
    ring->next = staging_chunks_place(c, c->count);
    job->group = suitable_group(c->bytes);
}

/* Runs part i of a transfer: part 0 in the calling thread, which calls the device; other parts
 * copy chunks in pool threads. */
static void take_part(void *argument, unsigned i) {
    struct job *job = argument;
    if (i > 0) {
        staging_chunks_copy(&job->chunks);
        return;
    }
    job->status = job->transfer(job);
    atomic_store(&job->progress.is_over, 1);
}

/* Waits until the device has copied all groups of chunks, also after a failure. */
static enum gpu_status drain(struct staging *ring, enum gpu_status status) {
    while (ring->groups > 0) {
        const enum gpu_status waited = wait_for_group(ring);
        status = status == GPU_OK ? waited : status;
    }
    ring->passed = ring->next;
    return status;
}

/* Runs a transfer through a ring shared with another process. Threads of several devices use it
 * one after another; each waits only for the copies of its own device. */
static enum gpu_status run_far(struct job *job, struct far_caller *f) {
    pthread_mutex_lock(&f->mutex);
    take_places(job);
    enum gpu_status status = GPU_LEFT;
    if (far_begin_copy(f, &job->chunks, job->threads)) {
        status = job->transfer(job);
        far_end_copy(f);
    }
    if (status == GPU_LEFT)
        f->has_left = true;
    if (f->is_shared)
        status = drain(job->ring, status);
    pthread_mutex_unlock(&f->mutex);
    return status;
}

static enum gpu_status run(struct job *job) {
    if (job->ring->is_far) {
        job->status = run_far(job, far_here());
    } else {
        take_places(job);
        thread_pool_run(job->threads, take_part, job);
    }
    if (job->status != GPU_OK)
        mpgpu_log(LOG_DETAIL, "staging: %s: %s", gpu_status_text(job->status), gpu_error_text());
    return job->status;
}

enum gpu_status staging_up(struct staging *ring, const struct gpu_queue *queue, gpu_mem dst,
                           size_t offset, const void *src, size_t bytes) {
    struct job job = {
        .ring = ring, .queue = queue, .mem = dst, .offset = offset, .transfer = upload};
    job.chunks.host = (char *)src;
    job.chunks.progress = &job.progress;
    job.chunks.bytes = bytes;
    return run(&job);
}

gpu_event_impl *staging_last(const struct staging *ring) {
    const bool is_drained = ring->is_far && far_here()->is_shared;
    return !is_drained && ring->groups > 0
               ? ring->group[(ring->first + ring->groups - 1) % MOST_GROUPS].event
               : NULL;
}

enum gpu_status staging_down(struct staging *ring, const struct gpu_queue *queue, void *dst,
                             gpu_mem src, size_t offset, size_t bytes) {
    struct job job = {
        .ring = ring, .queue = queue, .mem = src, .offset = offset, .transfer = download};
    job.chunks.host = dst;
    job.chunks.progress = &job.progress;
    job.chunks.bytes = bytes;
    job.chunks.is_down = true;
    return run(&job);
}
