/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The belt.
 *
 * Its places are numbered on and on: place p is byte p modulo BELT_BYTES of the memory.  A
 * transfer takes the next places, a multiple of its chunk.  Chunks are copied by
 * whichever thread is free; the calling thread alone calls the device, hands the link
 * what was filled or asks it for more, and copies when it has nothing better to do.  A
 * chunk is open when it may be copied: its place is free, or what it holds has arrived.
 * When it has been copied, its place bears its mark. */
#include "belt.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "copier.h"
#include "gate.h"
#include "log.h"
#include "patience.h"
#include "stream.h"

#define BELT_BYTES ((uint64_t)16 << 20)
#define LEAST_CHUNK ((size_t)64 << 10)  /* 1.2 us of the link */
#define LARGE_CHUNK ((size_t)256 << 10) /* 5 us of the link, 20 us of a thread */
#define LEAST_GROUP ((size_t)512 << 10) /* what is asked of the link in one call, which costs */
#define LARGE_GROUP ((size_t)1 << 20)   /* it 3 us */
#define POOL_BYTES ((size_t)256 << 10)  /* from here on several threads */
#define MOST_GROUPS 64

/* How long threads look out for what is to be copied before they sleep: from one transfer
 * of a product to the next, on a device that needs no CPU. */
static const double watch_seconds = 500e-6;

/* A copy under way, or several: all up to a place. */
struct group {
    gpu_event_impl *event;
    uint64_t upto;
};

struct belt {
    struct gpu_device dev;
    double watch;
    struct copier *copier;
    char *host;
    uint64_t next;   /* the first place that was not given to a transfer */
    uint64_t passed; /* the link is done with all before this place */
    struct group group[MOST_GROUPS];
    unsigned first, groups;                          /* those under way */
    _Atomic uint64_t mark[BELT_BYTES / LEAST_CHUNK]; /* see is_copied */
};

/* One transfer; `host` is the source or destination. */
struct job {
    struct belt *b;
    const struct gpu_queue *queue;
    char *host;
    gpu_mem mem;
    size_t offset, bytes, chunk, chunks, group;
    uint64_t place; /* of the first chunk */
    int down;
    atomic_size_t next; /* the first chunk that no thread has taken */
    atomic_size_t open; /* all chunks before it are open */
    atomic_int is_over; /* nothing more is to be copied */
};

int belt_open(const struct gpu_device *dev, int is_another, struct belt **bp) {
    struct belt *b = *bp = calloc(1, sizeof *b);
    if (!b)
        return GPU_NOMEM;
    void *host = NULL;
    b->dev = *dev;
    b->watch = dev->caps.is_cpu ? 0 : watch_seconds;
    b->copier = copier_open(is_another, b->watch);
    int status = b->copier ? dev->backend->host_alloc(dev->impl, BELT_BYTES, &host) : GPU_NOMEM;
    b->host = host;
    if (status != GPU_OK) {
        belt_close(b);
        *bp = NULL;
    }
    return status;
}

void belt_close(struct belt *b) {
    belt_clear(b);
    if (b->host)
        b->dev.backend->host_release(b->dev.impl, b->host);
    if (b->copier)
        copier_close(b->copier);
    free(b);
}

/* ---- what is under way */

static void drop_group(struct belt *b) {
    b->dev.backend->event_release(b->group[b->first].event);
    b->first = (b->first + 1) % MOST_GROUPS;
    b->groups--;
}

void belt_clear(struct belt *b) {
    while (b->groups > 0)
        drop_group(b);
    b->passed = b->next;
}

/* Wait for the oldest group. */
static int wait_for_group(struct belt *b) {
    const struct group *g = &b->group[b->first];
    int status = b->dev.backend->event_wait(g->event);
    b->passed = g->upto;
    drop_group(b);
    return status;
}

/* What the link was given so far ends before place `upto`. */
static int begin_group(struct job *job, uint64_t upto) {
    struct belt *b = job->b;
    int status = b->groups == MOST_GROUPS ? wait_for_group(b) : GPU_OK;
    struct group *g = &b->group[(b->first + b->groups) % MOST_GROUPS];
    g->upto = upto;
    if (status == GPU_OK)
        status = b->dev.backend->event_record(job->queue->impl, &g->event);
    b->groups += status == GPU_OK;
    return status;
}

/* ---- chunks */

static size_t chunk_at(const struct job *job, size_t i) {
    return i * job->chunk;
}

/* From chunk i on, `count` of them. */
static size_t chunk_bytes(const struct job *job, size_t i, size_t count) {
    size_t left = job->bytes - chunk_at(job, i);
    return left < count * job->chunk ? left : count * job->chunk;
}

static uint64_t chunk_place(const struct job *job, size_t i) {
    return job->place + (uint64_t)i * job->chunk;
}

static char *chunk_host(const struct job *job, size_t i) {
    return job->b->host + chunk_place(job, i) % BELT_BYTES;
}

static _Atomic uint64_t *mark_of(const struct job *job, size_t i) {
    return &job->b->mark[chunk_place(job, i) % BELT_BYTES / LEAST_CHUNK];
}

/* No other chunk is ever at the same place, so none leaves the same mark. */
static int is_copied(const struct job *job, size_t i) {
    return atomic_load_explicit(mark_of(job, i), memory_order_acquire) == chunk_place(job, i) + 1;
}

/* To or from memory of the program. */
static void copy_chunk(struct job *job, size_t i) {
    char *host = job->host + chunk_at(job, i), *belt = chunk_host(job, i);
    size_t bytes = chunk_bytes(job, i, 1);
    if (!gate_enter()) {
        atomic_store(&job->is_over, 1);
        return;
    }
    if (job->down)
        memcpy(host, belt, bytes);
    else if (job->b->dev.caps.is_cpu)
        memcpy(belt, host, bytes);
    else
        stream_copy(belt, host, bytes);
    gate_leave();
    atomic_store_explicit(mark_of(job, i), chunk_place(job, i) + 1, memory_order_release);
}

/* In the other threads. */
static void copy_chunks(void *context) {
    struct job *job = context;
    size_t i;
    while ((i = atomic_fetch_add(&job->next, 1)) < job->chunks) {
        struct patience patience = {.awake = job->b->watch};
        while (atomic_load(&job->open) <= i && !atomic_load(&job->is_over))
            patience_wait(&patience);
        if (atomic_load(&job->is_over))
            return;
        copy_chunk(job, i);
    }
}

/* In the caller's thread: copy an open chunk, if there are more than `left`. */
static int copy_one(struct job *job, size_t left) {
    size_t i = atomic_load(&job->next);
    while (i + left < atomic_load(&job->open))
        if (atomic_compare_exchange_weak(&job->next, &i, i + 1)) {
            copy_chunk(job, i);
            return 1;
        }
    return 0;
}

/* From chunk i on, how many make one group: neighbours on the belt, and a few at a time, so
 * that the link begins soon.  Time has no part in it: the calls of the device that a
 * transfer makes are the same each time, unless it is longer than the belt. */
static size_t group_size(const struct job *job, size_t i) {
    size_t to_turn = (size_t)((BELT_BYTES - chunk_place(job, i) % BELT_BYTES) / job->chunk);
    size_t most = job->group / job->chunk, count = job->chunks - i;
    most = to_turn < most ? to_turn : most;
    return count < most ? count : most;
}

/* Chunks whose places are free once all before `passed` is. */
static size_t with_room(const struct job *job, uint64_t passed) {
    uint64_t end = passed + BELT_BYTES;
    size_t count = end < job->place ? 0 : (size_t)((end - job->place) / job->chunk);
    return count < job->chunks ? count : job->chunks;
}

/* ---- the calling thread */

/* Hand the link the next group if its chunks have been copied. */
static int send(struct job *job, size_t *sent) {
    size_t count = group_size(job, *sent), copied = 0;
    while (copied < count && is_copied(job, *sent + copied))
        copied++;
    if (copied < count)
        return GPU_OK;
    int status = gpu_write(job->queue, job->mem, job->offset + chunk_at(job, *sent),
                           chunk_host(job, *sent), chunk_bytes(job, *sent, count));
    *sent += count;
    return status == GPU_OK ? begin_group(job, chunk_place(job, *sent)) : status;
}

static int drive_up(struct job *job) {
    size_t sent = 0;
    int status = GPU_OK;
    struct patience none = {.awake = job->b->watch}, patience = none;
    while (sent < job->chunks && status == GPU_OK) {
        size_t before = sent;
        atomic_store(&job->open, with_room(job, job->b->passed));
        status = send(job, &sent);
        if (sent > before || status != GPU_OK || copy_one(job, 0))
            patience = none;
        else if (atomic_load(&job->is_over))
            status = GPU_FAILED;
        else if (atomic_load(&job->open) < job->chunks && job->b->groups > 0)
            status = wait_for_group(job->b);
        else
            patience_wait(&patience);
    }
    return status;
}

/* Ask the link for the next group. */
static int ask(struct job *job, size_t *asked) {
    size_t count = group_size(job, *asked);
    int status = gpu_read(job->queue, chunk_host(job, *asked), job->mem,
                          job->offset + chunk_at(job, *asked), chunk_bytes(job, *asked, count));
    *asked += count;
    return status == GPU_OK ? begin_group(job, chunk_place(job, *asked)) : status;
}

static int receive(struct job *job) {
    int status = wait_for_group(job->b);
    if (status == GPU_OK)
        atomic_store(&job->open, (size_t)((job->b->passed - job->place) / job->chunk));
    return status;
}

static int drive_down(struct job *job) {
    size_t asked = 0, stored = 0, others = (size_t)copier_threads(job->b->copier) - 1;
    int status = GPU_OK;
    struct patience none = {.awake = job->b->watch}, patience = none;
    while (stored < job->chunks && status == GPU_OK) {
        while (stored < job->chunks && is_copied(job, stored))
            stored++;
        size_t room = with_room(job, chunk_place(job, stored));
        if (asked < job->chunks && asked + group_size(job, asked) <= room)
            status = ask(job, &asked);
        else if (copy_one(job, atomic_load(&job->open) < asked ? others : 0))
            patience = none;
        else if (atomic_load(&job->open) < asked)
            status = receive(job);
        else if (atomic_load(&job->is_over))
            status = stored < job->chunks ? GPU_FAILED : GPU_OK;
        else
            patience_wait(&patience);
    }
    return status;
}

/* Several chunks a thread, so that all end at about the same time. */
static size_t suitable_chunk(const struct job *job) {
    size_t threads = job->bytes < POOL_BYTES ? 1 : (size_t)copier_threads(job->b->copier);
    size_t chunk = LEAST_CHUNK;
    while (chunk < LARGE_CHUNK && chunk * 4 * threads < job->bytes)
        chunk *= 2;
    return chunk;
}

/* A quarter, so that the link and the threads work at the same time. */
static size_t suitable_group(const struct job *job) {
    size_t group = job->bytes / 4;
    return group < LEAST_GROUP ? LEAST_GROUP : group < LARGE_GROUP ? group : LARGE_GROUP;
}

static void take_places(struct job *job) {
    struct belt *b = job->b;
    job->chunk = suitable_chunk(job);
    job->group = suitable_group(job);
    job->chunks = (job->bytes + job->chunk - 1) / job->chunk;
    job->place = (b->next + job->chunk - 1) / job->chunk * job->chunk;
    b->next = chunk_place(job, job->chunks);
}

static int run(struct job *job, int (*drive)(struct job *job)) {
    struct copier *copier = job->b->copier;
    int several = job->bytes >= POOL_BYTES;
    if (several)
        copier_begin(copier, copy_chunks, job);
    int status = drive(job);
    if (several) {
        atomic_store(&job->is_over, 1);
        copier_end(copier);
    }
    if (status != GPU_OK)
        mpgpu_log(LOG_DETAIL, "belt: %s: %s", gpu_status_text(status), gpu_error_text());
    return status;
}

int belt_up(struct belt *b, const struct gpu_queue *queue, gpu_mem dst, size_t offset,
            const void *src, size_t bytes) {
    struct job job = {
        .b = b, .queue = queue, .host = (char *)src, .mem = dst, .offset = offset, .bytes = bytes};
    take_places(&job);
    return run(&job, drive_up);
}

gpu_event_impl *belt_last(const struct belt *b) {
    return b->groups > 0 ? b->group[(b->first + b->groups - 1) % MOST_GROUPS].event : NULL;
}

int belt_down(struct belt *b, const struct gpu_queue *queue, void *dst, gpu_mem src, size_t offset,
              size_t bytes) {
    struct job job = {.b = b,
                      .queue = queue,
                      .host = dst,
                      .mem = src,
                      .offset = offset,
                      .bytes = bytes,
                      .down = 1};
    belt_clear(b); /* the reads come behind what is under way */
    take_places(&job);
    return run(&job, drive_down);
}
