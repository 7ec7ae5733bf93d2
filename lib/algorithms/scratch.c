/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Scratch memory: large blocks from the library's pool of host memory (lib/memory/pool.h), others
 * from malloc. A few freed blocks of malloc are kept for reuse, each in an atomic slot. Slots have
 * no lock, because a lock would stay taken if a signal handler called longjmp. */
#include "lib/algorithms/scratch.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "lib/memory/pool.h"
#include "lib/memory/wipe.h"

/* At most SLOTS free blocks of LEAST to MOST bytes are kept for reuse: 256 MiB in all, to leave
 * memory to the program. malloc itself keeps smaller blocks. */
enum { SLOTS = 4, LEAST = 1 << 16, MOST = 1 << 26 };

struct block {
    _Alignas(max_align_t) size_t bytes; /* size of the whole block, including this header */
};

static struct block *_Atomic kept[SLOTS];

static struct block *fresh(size_t bytes) {
    struct block *block = malloc(bytes);
    if (block)
        block->bytes = bytes;
    return block;
}

/* Takes a kept block that is large enough; NULL if there is none. */
static struct block *find(size_t bytes) {
    for (int i = 0; i < SLOTS; i++) {
        struct block *block = atomic_exchange(&kept[i], NULL), *none = NULL;
        if (block && block->bytes >= bytes)
            return block;
        if (block && !atomic_compare_exchange_strong(&kept[i], &none, block))
            free(block);
    }
    return NULL;
}

mp_ptr scratch_alloc(size_t n) {
    size_t bytes = sizeof(struct block) + n * sizeof(mp_limb_t);
    void *pooled = bytes < LEAST ? NULL : pool_alloc(n * sizeof(mp_limb_t));
    if (pooled)
        return pooled;
    struct block *block = bytes < LEAST ? NULL : find(bytes);
    if (!block)
        block = fresh(bytes);
    return block ? (mp_ptr)(block + 1) : NULL;
}

/* Keeps a free block for reuse.  If all slots are full, frees the block of one slot, and uses that
 * slot. */
static void keep(struct block *block) {
    for (int i = 0; i < SLOTS; i++) {
        struct block *none = NULL;
        if (atomic_compare_exchange_strong(&kept[i], &none, block))
            return;
    }
    static atomic_uint next;
    free(atomic_exchange(&kept[atomic_fetch_add(&next, 1) % SLOTS], block));
}

void scratch_free(mp_ptr p) {
    if (pool_owns(p)) {
        pool_free(p);
        return;
    }
    struct block *block = p ? (struct block *)p - 1 : NULL;
    if (block)
        wipe(p, block->bytes - sizeof *block);
    if (block && block->bytes >= LEAST && block->bytes <= MOST)
        keep(block);
    else
        free(block);
}
