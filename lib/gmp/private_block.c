/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Private blocks. A private block begins 8 bytes after a block of malloc or of the heap
 * (lib/process/heap.h). These 8 bytes contain a mark, which is a function of the private block's
 * address.
 *
 * Blocks of malloc are aligned to 16 bytes, so a private block's address is 8 modulo 16, and a
 * block of malloc is never mistaken for one. Another allocator may return addresses that are 8
 * modulo 16; one in 2^64 of its blocks would be mistaken for a private block. The mark is on the
 * same page as the block's address, so reading it cannot fault. */
#include "lib/gmp/private_block.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/min.h"
#include "lib/gmp/real.h"
#include "lib/memory/wipe.h"
#include "lib/process/heap.h"

enum { HEAD = sizeof(uint64_t), ALIGNMENT = 2 * HEAD };

static uint64_t word_of(const void *p) {
    return (uint64_t)(uintptr_t)p ^ 0x9d3f5c81e7a6b204u;
}

/* Returns the block of malloc that contains p. */
static void *whole(const void *p) {
    return (char *)p - HEAD;
}

static void *begin(void *block) {
    void *p = (char *)block + HEAD;
    uint64_t word = word_of(p);
    memcpy(block, &word, sizeof word);
    return p;
}

/* Returns true if the word before p is the mark of a private block. The word may belong to another
 * allocator, which may write to it at the same time. */
__attribute__((no_sanitize("address", "thread"))) bool private_block_owns(const void *p) {
    if ((uintptr_t)p % ALIGNMENT != HEAD)
        return false;
    return *(const volatile uint64_t *)whole(p) == word_of(p);
}

static atomic_bool uses_heap;

void private_block_use_heap(void) {
    atomic_store_explicit(&uses_heap, true, memory_order_relaxed);
}

void *private_block_try(size_t bytes) {
    void *block = bytes < SIZE_MAX - HEAD ? malloc(HEAD + bytes) : NULL;
    return block ? begin(block) : NULL;
}

void *private_block_try_resize(void *p, size_t bytes) {
    memset(whole(p), 0, HEAD);
    void *block = bytes < SIZE_MAX - HEAD ? realloc(whole(p), HEAD + bytes) : NULL;
    if (block)
        return begin(block);
    begin(whole(p));
    return NULL;
}

/* GMP's default functions end the program if memory is missing. They call malloc without
 * compat/libc/allocate.c, so they are called only then. */

void *private_block_alloc(size_t bytes) {
    void *p = NULL;
    if (!atomic_load_explicit(&uses_heap, memory_order_relaxed))
        p = private_block_try(bytes);
    else if (bytes < SIZE_MAX - HEAD && (p = heap_alloc(HEAD + bytes)))
        p = begin(p);
    return p ? p : begin(real.__gmp_default_allocate(HEAD + bytes));
}

void *private_block_resize(void *p, size_t old, size_t bytes) {
    void *moved = private_block_try_resize(p, bytes);
    if (moved)
        return moved;
    moved = private_block_alloc(bytes);
    memcpy(moved, p, min_u64(old, bytes));
    private_block_free(p, old);
    return moved;
}

void private_block_free(void *p, size_t bytes) {
    memset(whole(p), 0, HEAD);
    wipe(p, bytes);
    free(whole(p));
}
