/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A transfer over the belt (belt.h), cut into chunks that any thread copies.
 *
 * The belt's places are numbered on and on: place p is byte p modulo STAGING_BYTES of its memory. A
 * transfer takes the next places, a multiple of its chunk.  A chunk is open when it may be
 * copied: its place is free, or what it holds has arrived.  When it has been copied, its place
 * bears its mark. */
#ifndef MPGPU_STAGING_CHUNKS_H
#define MPGPU_STAGING_CHUNKS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define STAGING_BYTES ((uint64_t)16 << 20)
#define LEAST_CHUNK ((size_t)64 << 10) /* 1.2 us of the link */

struct staging_memory {
    char *host;                                         /* STAGING_BYTES, page-locked */
    int is_cpu;                                         /* the device is one */
    int64_t spin_ns;                                    /* as copier_open */
    _Atomic uint64_t mark[STAGING_BYTES / LEAST_CHUNK]; /* see chunk_is_copied */
};

struct chunks {
    struct staging_memory *belt;
    char *host;          /* of the program: the source or destination */
    size_t bytes, chunk; /* in all; of a chunk, a multiple of LEAST_CHUNK */
    size_t count;
    uint64_t place; /* of the first chunk, a multiple of `chunk` */
    int down;
    atomic_size_t next; /* the first chunk that no thread has taken */
    atomic_size_t open; /* all chunks before it are open */
    atomic_int is_over; /* nothing more is to be copied */
};

static inline size_t chunk_at(const struct chunks *c, size_t i) {
    return i * c->chunk;
}

/* From chunk i on, `count` of them. */
static inline size_t chunk_bytes(const struct chunks *c, size_t i, size_t count) {
    size_t left = c->bytes - chunk_at(c, i);
    return left < count * c->chunk ? left : count * c->chunk;
}

static inline uint64_t chunk_place(const struct chunks *c, size_t i) {
    return c->place + (uint64_t)i * c->chunk;
}

static inline char *chunk_mulmod(const struct chunks *c, size_t i) {
    return c->belt->host + chunk_place(c, i) % STAGING_BYTES;
}

int chunk_is_copied(const struct chunks *c, size_t i);

/* Chunks whose places are free once all before `passed` is. */
size_t chunks_with_room(const struct chunks *c, uint64_t passed);

/* Copy as they open until all are taken, in any number of threads. */
void chunks_copy(void *chunks);

/* Copy an open one, if there are more than `left`; 0 if not. */
int chunks_copy_one(struct chunks *c, size_t left);

#endif
