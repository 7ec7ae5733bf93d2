/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies chunks between the staging ring and the program's memory, and marks copied chunks. */
#include "lib/transfer/staging_chunks.h"

#include <string.h>

#include "lib/process/backoff.h"
#include "lib/transfer/caller_memory.h"
#include "lib/memory/nt_copy.h"

static _Atomic uint64_t *mark_of(const struct staging_chunks *c, size_t i) {
    return &c->memory->mark[staging_chunks_place(c, i) % STAGING_BYTES / LEAST_CHUNK];
}

/* Returns true if chunk i is copied: its mark is then the chunk's place number plus 1. Place
 * numbers are never reused, so the mark cannot come from an earlier chunk in the same memory. */
bool staging_chunks_are_copied(const struct staging_chunks *c, size_t i) {
    return atomic_load_explicit(mark_of(c, i), memory_order_acquire) ==
           staging_chunks_place(c, i) + 1;
}

size_t staging_chunks_with_room(const struct staging_chunks *c, uint64_t passed) {
    uint64_t end = passed + STAGING_BYTES;
    size_t count = end < c->place ? 0 : (size_t)((end - c->place) / c->chunk);
    return count < c->count ? count : c->count;
}

/* Copies a chunk between the ring and the program's memory, and marks it. If the caller has
 * withdrawn its memory, ends the transfer. */
static void copy(struct staging_chunks *c, size_t i) {
    char *host = c->host + staging_chunks_offset(c, i), *staged = staging_chunks_address(c, i);
    size_t bytes = staging_chunks_bytes(c, i, 1);
    struct lease *lease = c->memory->lease;
    const void *from = c->is_down ? staged : caller_enter(lease, host, bytes);
    void *to = c->is_down ? caller_enter_result(lease, host, bytes) : staged;
    if (!from || !to) {
        atomic_store(&c->progress->is_over, 1);
        return;
    }
    if (c->is_down || c->memory->is_cpu)
        memcpy(to, from, bytes);
    else
        nt_copy(to, from, bytes);
    caller_leave(lease);
    atomic_store_explicit(mark_of(c, i), staging_chunks_place(c, i) + 1, memory_order_release);
}

bool staging_chunks_are_over(const struct staging_chunks *c) {
    return atomic_load(&c->progress->next) >= c->count || atomic_load(&c->progress->is_over);
}

void staging_chunks_copy(void *chunks) {
    struct staging_chunks *c = chunks;
    struct backoff none = {.spin_ns = c->memory->spin_ns}, backoff = none;
    const int64_t end = event_clock() + (c->memory->most_ns ? c->memory->most_ns : EVENT_FOREVER);
    while (!staging_chunks_are_over(c) && event_clock() < end) {
        if (staging_chunks_copy_one(c, 0))
            backoff = none;
        else
            backoff_nap(&backoff);
    }
}

bool staging_chunks_copy_one(struct staging_chunks *c, size_t left) {
    size_t i = atomic_load(&c->progress->next);
    while (i < c->count && i + left < atomic_load(&c->progress->open))
        if (atomic_compare_exchange_weak(&c->progress->next, &i, i + 1)) {
            copy(c, i);
            return true;
        }
    return false;
}
