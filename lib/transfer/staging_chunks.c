/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Chunks. */
#include "lib/transfer/staging_chunks.h"

#include <string.h>

#include "lib/process/gate.h"
#include "lib/process/backoff.h"
#include "lib/transfer/nt_copy.h"

static _Atomic uint64_t *mark_of(const struct chunks *c, size_t i) {
    return &c->belt->mark[chunk_place(c, i) % STAGING_BYTES / LEAST_CHUNK];
}

/* No other chunk is ever at the same place, so none leaves the same mark. */
int chunk_is_copied(const struct chunks *c, size_t i) {
    return atomic_load_explicit(mark_of(c, i), memory_order_acquire) == chunk_place(c, i) + 1;
}

size_t chunks_with_room(const struct chunks *c, uint64_t passed) {
    uint64_t end = passed + STAGING_BYTES;
    size_t count = end < c->place ? 0 : (size_t)((end - c->place) / c->chunk);
    return count < c->count ? count : c->count;
}

/* To or from memory of the program. */
static void copy(struct chunks *c, size_t i) {
    char *host = c->host + chunk_at(c, i), *belt = chunk_mulmod(c, i);
    size_t bytes = chunk_bytes(c, i, 1);
    if (!gate_enter()) {
        atomic_store(&c->is_over, 1);
        return;
    }
    if (c->down)
        memcpy(host, belt, bytes);
    else if (c->belt->is_cpu)
        memcpy(belt, host, bytes);
    else
        stream_copy(belt, host, bytes);
    gate_leave();
    atomic_store_explicit(mark_of(c, i), chunk_place(c, i) + 1, memory_order_release);
}

void chunks_copy(void *chunks) {
    struct chunks *c = chunks;
    size_t i;
    while ((i = atomic_fetch_add(&c->next, 1)) < c->count) {
        struct backoff backoff = {.spin_ns = c->belt->spin_ns};
        while (atomic_load(&c->open) <= i && !atomic_load(&c->is_over))
            backoff_nap(&backoff);
        if (atomic_load(&c->is_over))
            return;
        copy(c, i);
    }
}

int chunks_copy_one(struct chunks *c, size_t left) {
    size_t i = atomic_load(&c->next);
    while (i + left < atomic_load(&c->open))
        if (atomic_compare_exchange_weak(&c->next, &i, i + 1)) {
            copy(c, i);
            return 1;
        }
    return 0;
}
