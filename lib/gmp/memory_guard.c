/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A list of allocated blocks. GMP frees most blocks soon after it has allocated them, so the list
 * is searched from its end. */
#include "lib/gmp/memory_guard.h"

#include <stdlib.h>

#include "lib/gmp/private_block.h"

static void fail(struct memory_guard *g) {
    longjmp(g->out, 1);
}

static void reserve(struct memory_guard *g) {
    if (g->count < g->room)
        return;
    size_t room = 2 * g->room + 16;
    void **block = realloc(g->block, room * sizeof *block);
    if (!block)
        fail(g);
    g->block = block;
    g->room = room;
}

/* Returns the entry of p in the list, or NULL. */
static void **find(struct memory_guard *g, const void *p) {
    for (size_t i = g->count; i-- > 0;)
        if (g->block[i] == p)
            return &g->block[i];
    return NULL;
}

void *memory_guard_alloc(struct memory_guard *g, size_t bytes) {
    reserve(g);
    void *p = private_block_try(bytes);
    if (!p)
        fail(g);
    g->block[g->count++] = p;
    return p;
}

void *memory_guard_resize(struct memory_guard *g, void *p, size_t bytes) {
    void **place = find(g, p), *moved = private_block_try_resize(p, bytes);
    if (!moved)
        fail(g);
    if (place)
        *place = moved;
    return moved;
}

void memory_guard_free(struct memory_guard *g, void *p, size_t bytes) {
    void **place = find(g, p);
    if (place)
        *place = g->block[--g->count];
    private_block_free(p, bytes);
}

void memory_guard_end(struct memory_guard *g) {
    free(g->block);
}

/* Frees all blocks. Does not wipe them, since their sizes are unknown. */
void memory_guard_abandon(struct memory_guard *g) {
    while (g->count > 0)
        private_block_free(g->block[--g->count], 0);
    memory_guard_end(g);
}
