/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The chunks of a transfer through the staging ring (lib/transfer/staging.h), which any thread
 * may copy.
 *
 * Places in the ring are numbered without end: place p is byte p modulo STAGING_BYTES of the
 * ring's memory. A transfer uses the next places, in multiples of its chunk size. A chunk is
 * open if a thread may copy it: for an upload, its place is free; for a download, its data has
 * arrived in the ring. A thread that has copied a chunk marks its place. */
#ifndef MPGPU_STAGING_CHUNKS_H
#define MPGPU_STAGING_CHUNKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/process/lease.h"

#define STAGING_BYTES ((uint64_t)16 << 20)
#define LEAST_CHUNK ((size_t)64 << 10) /* a copy of this size takes 1.2 us on the link */
/* a copy of this size takes 5 us on the link, 20 us in a thread */
#define LARGE_CHUNK ((size_t)256 << 10)

#define STAGING_ALONE ((size_t)256 << 10) /* fewer bytes than this are copied by one thread */
enum { STAGING_MARKS = STAGING_BYTES / LEAST_CHUNK };

struct staging_memory {
    char *host;             /* STAGING_BYTES, page-locked */
    struct lease *lease;    /* of the stream */
    bool is_cpu;            /* the device is a CPU */
    int64_t spin_ns;        /* how long to spin for the next chunk */
    int64_t most_ns;        /* time limit of a call of staging_chunks_copy; 0: none */
    _Atomic uint64_t *mark; /* marks of copied chunks, STAGING_MARKS of them */
};

/* The progress of a transfer, shared by all threads that copy, including threads of another
 * process (lib/transfer/far.h). */
struct staging_progress {
    atomic_size_t next; /* the next chunk to be copied by a thread */
    atomic_size_t open; /* chunks before this one are open */
    atomic_int is_over; /* nothing more needs to be copied */
};

struct staging_chunks {
    struct staging_memory *memory;
    char *host;          /* source of an upload or destination of a download */
    size_t bytes, chunk; /* bytes of the transfer; bytes of a chunk, a multiple of LEAST_CHUNK */
    size_t count;
    uint64_t place; /* place of the first chunk, a multiple of `chunk` */
    bool is_down;   /* from the device */
    struct staging_progress *progress;
};

static inline size_t staging_chunks_offset(const struct staging_chunks *c, size_t i) {
    return i * c->chunk;
}

/* Returns how many bytes `count` chunks have, from chunk i on. */
static inline size_t staging_chunks_bytes(const struct staging_chunks *c, size_t i, size_t count) {
    size_t left = c->bytes - staging_chunks_offset(c, i);
    return left < count * c->chunk ? left : count * c->chunk;
}

static inline uint64_t staging_chunks_place(const struct staging_chunks *c, size_t i) {
    return c->place + (uint64_t)i * c->chunk;
}

static inline char *staging_chunks_address(const struct staging_chunks *c, size_t i) {
    return c->memory->host + staging_chunks_place(c, i) % STAGING_BYTES;
}

/* Returns true if chunk i has been copied. */
bool staging_chunks_are_copied(const struct staging_chunks *c, size_t i);

/* Returns how many chunks of the transfer have free places if all places before `passed` are
 * free. */
size_t staging_chunks_with_room(const struct staging_chunks *c, uint64_t passed);

/* Copies chunks as they open, until none is left or the time limit is reached. Several threads
 * may call it for the same transfer. */
void staging_chunks_copy(void *chunks);

/* Returns true if no chunk is left for a thread to copy. */
bool staging_chunks_are_over(const struct staging_chunks *c);

/* Copies a chunk if more than `left` chunks are open and not yet copied; otherwise returns
 * false. */
bool staging_chunks_copy_one(struct staging_chunks *c, size_t left);

#endif
