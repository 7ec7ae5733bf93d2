/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The belt.
 *
 * Chunks (chunks.h) are copied by whichever thread is free; the calling thread alone calls the
 * device, hands the link what was filled or asks it for more, and copies when it has nothing
 * better to do. */
#include "lib/transfer/staging.h"

#include <stdlib.h>

#include "lib/transfer/staging_chunks.h"
#include "lib/transfer/copier.h"
#include "lib/base/log.h"
#include "lib/process/backoff.h"
#include "lib/memory/wipe.h"

#define LARGE_CHUNK ((size_t)256 << 10) /* 5 us of the link, 20 us of a thread */
#define LEAST_GROUP ((size_t)512 << 10) /* what is asked of the link in one call, which costs */
#define LARGE_GROUP ((size_t)1 << 20)   /* it 3 us */
#define POOL_BYTES ((size_t)256 << 10)  /* from here on several threads */
#define MOST_GROUPS 64

/* How long threads spin for the next chunk before they sleep: from one transfer of a product to
 * the next, on a device that needs no CPU. */
enum { SPIN_NS = 500000 };

/* A copy under way, or several: all up to a place. */
struct group {
    gpu_event_impl *event;
    uint64_t upto;
};

struct staging {
    struct gpu_device dev;
    struct copier *copier;
    struct staging_memory memory;
    uint64_t next;   /* the first place that was not given to a transfer */
    uint64_t wiped;  /* nothing is left before this place */
    uint64_t passed; /* the link is done with all before this place */
    struct group group[MOST_GROUPS];
    unsigned first, groups; /* those under way */
};

/* One transfer. */
struct job {
    struct staging *b;
    const struct gpu_queue *queue;
    gpu_mem mem;
    size_t offset, group;
    struct chunks chunks;
};

int staging_open(const struct gpu_device *dev, int is_another, struct staging **bp) {
    struct staging *b = *bp = calloc(1, sizeof *b);
    if (!b)
        return GPU_NOMEM;
    void *host = NULL;
    b->dev = *dev;
    b->memory.is_cpu = dev->caps.is_cpu;
    b->memory.spin_ns = dev->caps.is_cpu ? 0 : SPIN_NS;
    b->copier = copier_open(is_another, b->memory.spin_ns);
    int status = b->copier ? dev->backend->host_alloc(dev->impl, STAGING_BYTES, &host) : GPU_NOMEM;
    b->memory.host = host;
    if (status != GPU_OK) {
        staging_close(b);
        *bp = NULL;
    }
    return status;
}

void staging_close(struct staging *b) {
    staging_clear(b);
    if (b->memory.host)
        b->dev.backend->host_release(b->dev.impl, b->memory.host);
    if (b->copier)
        copier_close(b->copier);
    free(b);
}

/* ---- what is under way */

static void drop_group(struct staging *b) {
    b->dev.backend->event_release(b->group[b->first].event);
    b->first = (b->first + 1) % MOST_GROUPS;
    b->groups--;
}

void staging_clear(struct staging *b) {
    while (b->groups > 0)
        drop_group(b);
    b->passed = b->next;
}

void staging_wipe(struct staging *b) {
    uint64_t begin = b->wiped % STAGING_BYTES, all = b->next - b->wiped;
    uint64_t bytes = all < STAGING_BYTES ? all : STAGING_BYTES;
    uint64_t first = bytes < STAGING_BYTES - begin ? bytes : STAGING_BYTES - begin;
    wipe(b->memory.host + begin, first);
    wipe(b->memory.host, bytes - first);
    b->wiped = b->next;
}

/* Wait for the oldest group. */
static int wait_for_group(struct staging *b) {
    const struct group *g = &b->group[b->first];
    int status = b->dev.backend->event_wait(g->event);
    b->passed = g->upto;
    drop_group(b);
    return status;
}

/* What the link was given so far ends before place `upto`. */
static int begin_group(struct job *job, uint64_t upto) {
    struct staging *b = job->b;
    int status = b->groups == MOST_GROUPS ? wait_for_group(b) : GPU_OK;
    struct group *g = &b->group[(b->first + b->groups) % MOST_GROUPS];
    g->upto = upto;
    if (status == GPU_OK)
        status = b->dev.backend->event_record(job->queue->impl, &g->event);
    b->groups += status == GPU_OK;
    return status;
}

/* ---- the calling thread */

/* From chunk i on, how many make one group: neighbours on the belt, and a few at a time, so
 * that the link begins soon.  Time has no part in it: the calls of the device that a
 * transfer makes are the same each time, unless it is longer than the belt. */
static size_t group_size(const struct job *job, size_t i) {
    const struct chunks *c = &job->chunks;
    size_t to_turn = (size_t)((STAGING_BYTES - chunk_place(c, i) % STAGING_BYTES) / c->chunk);
    size_t most = job->group / c->chunk, count = c->count - i;
    most = to_turn < most ? to_turn : most;
    return count < most ? count : most;
}

/* Hand the link the next group if its chunks have been copied. */
static int send(struct job *job, size_t *sent) {
    const struct chunks *c = &job->chunks;
    size_t count = group_size(job, *sent), copied = 0;
    while (copied < count && chunk_is_copied(c, *sent + copied))
        copied++;
    if (copied < count)
        return GPU_OK;
    int status = gpu_write(job->queue, job->mem, job->offset + chunk_at(c, *sent),
                           chunk_mulmod(c, *sent), chunk_bytes(c, *sent, count));
    *sent += count;
    return status == GPU_OK ? begin_group(job, chunk_place(c, *sent)) : status;
}

static int drive_up(struct job *job) {
    struct chunks *c = &job->chunks;
    size_t sent = 0;
    int status = GPU_OK;
    struct backoff none = {.spin_ns = c->belt->spin_ns}, backoff = none;
    while (sent < c->count && status == GPU_OK) {
        size_t before = sent;
        atomic_store(&c->open, chunks_with_room(c, job->b->passed));
        status = send(job, &sent);
        if (sent > before || status != GPU_OK || chunks_copy_one(c, 0))
            backoff = none;
        else if (atomic_load(&c->is_over))
            status = GPU_FAILED;
        else if (atomic_load(&c->open) < c->count && job->b->groups > 0)
            status = wait_for_group(job->b);
        else
            backoff_nap(&backoff);
    }
    return status;
}

/* Ask the link for the next group. */
static int ask(struct job *job, size_t *asked) {
    const struct chunks *c = &job->chunks;
    size_t count = group_size(job, *asked);
    int status = gpu_read(job->queue, chunk_mulmod(c, *asked), job->mem,
                          job->offset + chunk_at(c, *asked), chunk_bytes(c, *asked, count));
    *asked += count;
    return status == GPU_OK ? begin_group(job, chunk_place(c, *asked)) : status;
}

static int receive(struct job *job) {
    struct chunks *c = &job->chunks;
    int status = wait_for_group(job->b);
    if (status == GPU_OK)
        atomic_store(&c->open, (size_t)((job->b->passed - c->place) / c->chunk));
    return status;
}

static int drive_down(struct job *job) {
    struct chunks *c = &job->chunks;
    size_t asked = 0, stored = 0, others = (size_t)copier_threads(job->b->copier) - 1;
    int status = GPU_OK;
    struct backoff none = {.spin_ns = c->belt->spin_ns}, backoff = none;
    while (status == GPU_OK) {
        while (stored < c->count && chunk_is_copied(c, stored))
            stored++;
        if (stored == c->count)
            break;
        size_t room = chunks_with_room(c, chunk_place(c, stored));
        if (asked < c->count && asked + group_size(job, asked) <= room)
            status = ask(job, &asked);
        else if (chunks_copy_one(c, atomic_load(&c->open) < asked ? others : 0))
            backoff = none;
        else if (atomic_load(&c->open) < asked)
            status = receive(job);
        else if (atomic_load(&c->is_over))
            status = GPU_FAILED;
        else
            backoff_nap(&backoff);
    }
    return status;
}

/* Several chunks a thread, so that all end at about the same time. */
static size_t suitable_chunk(const struct staging *b, size_t bytes) {
    size_t threads = bytes < POOL_BYTES ? 1 : (size_t)copier_threads(b->copier);
    size_t chunk = LEAST_CHUNK;
    while (chunk < LARGE_CHUNK && chunk * 4 * threads < bytes)
        chunk *= 2;
    return chunk;
}

/* A quarter, so that the link and the threads work at the same time. */
static size_t suitable_group(size_t bytes) {
    size_t group = bytes / 4;
    return group < LEAST_GROUP ? LEAST_GROUP : group < LARGE_GROUP ? group : LARGE_GROUP;
}

static void take_places(struct job *job) {
    struct staging *b = job->b;
    struct chunks *c = &job->chunks;
    c->belt = &b->memory;
    c->chunk = suitable_chunk(b, c->bytes);
    c->count = (c->bytes + c->chunk - 1) / c->chunk;
    c->place = (b->next + c->chunk - 1) / c->chunk * c->chunk;
    b->next = chunk_place(c, c->count);
    job->group = suitable_group(c->bytes);
}

static int run(struct job *job, int (*drive)(struct job *job)) {
    struct copier *copier = job->b->copier;
    int several = job->chunks.bytes >= POOL_BYTES;
    take_places(job);
    if (several)
        copier_begin(copier, chunks_copy, &job->chunks);
    int status = drive(job);
    if (several) {
        atomic_store(&job->chunks.is_over, 1);
        copier_end(copier);
    }
    if (status != GPU_OK)
        mpgpu_log(LOG_DETAIL, "belt: %s: %s", gpu_status_text(status), gpu_error_text());
    return status;
}

int staging_up(struct staging *b, const struct gpu_queue *queue, gpu_mem dst, size_t offset,
               const void *src, size_t bytes) {
    struct job job = {.b = b, .queue = queue, .mem = dst, .offset = offset};
    job.chunks.host = (char *)src;
    job.chunks.bytes = bytes;
    return run(&job, drive_up);
}

gpu_event_impl *staging_last(const struct staging *b) {
    return b->groups > 0 ? b->group[(b->first + b->groups - 1) % MOST_GROUPS].event : NULL;
}

int staging_down(struct staging *b, const struct gpu_queue *queue, void *dst, gpu_mem src,
                 size_t offset, size_t bytes) {
    struct job job = {.b = b, .queue = queue, .mem = src, .offset = offset};
    job.chunks.host = dst;
    job.chunks.bytes = bytes;
    job.chunks.down = 1;
    staging_clear(b); /* the reads come behind what is under way */
    return run(&job, drive_down);
}
