/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies of chunks, and their marks. */
#include "lib/transfer/staging_chunks.h"

#include <string.h>

#include "lib/process/backoff.h"
#include "lib/transfer/caller_memory.h"
#include "lib/transfer/nt_copy.h"

enum { LOOK_NS = 50000000 };

static _Atomic uint64_t *mark_of(const struct staging_chunks *c, size_t i) {
    return &c->memory->mark[staging_chunks_place(c, i) % STAGING_BYTES / LEAST_CHUNK];
}

/* A place is used once, so that no other chunk leaves the same mark. */
bool staging_chunks_are_copied(const struct staging_chunks *c, size_t i) {
    return atomic_load_explicit(mark_of(c, i), memory_order_acquire) ==
           staging_chunks_place(c, i) + 1;
}

size_t staging_chunks_with_room(const struct staging_chunks *c, uint64_t passed) {
    uint64_t end = passed + STAGING_BYTES;
    size_t count = end < c->place ? 0 : (size_t)((end - c->place) / c->chunk);
    return count < c->count ? count : c->count;
}

/* To or from the program's memory. */
static void copy(struct staging_chunks *c, size_t i) {
    char *host = c->host + staging_chunks_offset(c, i), *staged = staging_chunks_address(c, i);
    size_t bytes = staging_chunks_bytes(c, i, 1);
    struct hold *hold = c->memory->hold;
    const void *from = c->is_down ? staged : caller_enter(hold, host, bytes);
    void *to = c->is_down ? caller_enter_result(hold, host, bytes) : staged;
    if (!from || !to) {
        atomic_store(&c->progress->is_over, 1);
        return;
    }
    if (c->is_down || c->memory->is_cpu)
        memcpy(to, from, bytes);
    else
        nt_copy(to, from, bytes);
    caller_leave(hold);
    atomic_store_explicit(mark_of(c, i), staging_chunks_place(c, i) + 1, memory_order_release);
}

/* Waits until chunk i is open.  Returns false if nothing more is to be copied. */
static bool await_chunk(struct staging_chunks *c, size_t i) {
    struct backoff backoff = {.spin_ns = c->memory->spin_ns};
    const int64_t patience = event_clock() + LOOK_NS;
    while (atomic_load(&c->progress->open) <= i && !atomic_load(&c->progress->is_over)) {
        backoff_nap(&backoff);
        if (c->memory->is_lost && event_clock() > patience && c->memory->is_lost())
            return false;
    }
    return !atomic_load(&c->progress->is_over);
}

void staging_chunks_copy(void *chunks) {
    struct staging_chunks *c = chunks;
    size_t i;
    while ((i = atomic_fetch_add(&c->progress->next, 1)) < c->count && await_chunk(c, i))
        copy(c, i);
}

bool staging_chunks_copy_one(struct staging_chunks *c, size_t left) {
    size_t i = atomic_load(&c->progress->next);
    while (i + left < atomic_load(&c->progress->open))
        if (atomic_compare_exchange_weak(&c->progress->next, &i, i + 1)) {
            copy(c, i);
            return true;
        }
    return false;
}
