/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory of our own for results and scratch: touched, on large pages, and page-locked
 * where the device can do that (lib/memory/pinned.h), so that the link fills and reads it at its
 * own speed.  It comes from the system in segments when there is need, stays for the next
 * block, and goes back when it lies idle (lib/memory/reclaim.h).  It is private memory as any
 * other, so that a child of fork reads what its parent wrote.
 *
 * Any thread may call these at any time; no signal comes in while a lock is held.  In a child that
 * is not made by fork (lib/base/process.h) blocks stay where and as large as they are. */
#ifndef MPGPU_POOL_H
#define MPGPU_POOL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The range of addresses that all blocks lie in; nothing else ever does. */
extern __attribute__((visibility("hidden"))) _Atomic uintptr_t pool_begin;
extern __attribute__((visibility("hidden"))) _Atomic size_t pool_bytes;

static inline int pool_owns(const void *p) {
    size_t bytes = atomic_load_explicit(&pool_bytes, memory_order_acquire); /* set last */
    return (uintptr_t)p - atomic_load_explicit(&pool_begin, memory_order_relaxed) < bytes;
}

/* Blocks are handed out between these two: while there is a device, and `pool` is not
 * off.  Blocks that are out stay good. */
void pool_open(void);
void pool_shut(void);
int pool_is_open(void);

/* What fork needs.  At the latest before the first block; once, any thread. */
void pool_prepare(void);

/* A block of at least that many bytes, aligned to a page; its content is anything.  NULL:
 * the pool is shut, has reached its limit, or memory is short. */
void *pool_alloc(size_t bytes);

/* Back; p is a block's beginning. */
void pool_free(void *p);

/* What a block can hold. */
size_t pool_room(const void *p);

/* Let a block hold so many bytes where it lies, fewer or more; 0 if it can't. */
int pool_resize(void *p, size_t bytes);

/* For statistics and messages. */
struct pool_numbers {
    uint64_t limit;    /* bytes of memory, at most, */
    uint64_t bytes;    /* taken from the system now, */
    uint64_t most;     /* at any time, */
    uint64_t returned; /* given back so far, */
    uint64_t lent;     /* in blocks that are out now, */
    uint64_t pinned;   /* page-locked now */
    uint64_t blocks;   /* handed out so far */
    uint64_t refused;  /* not handed out though the pool was open */
};
void pool_ask(struct pool_numbers *numbers);

#endif
