/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The blocks that are allocated during a call of memory_guarded (lib/gmp/memory.h).  Private to
 * memory.c and memory_guard.c. */
#ifndef MPGPU_MEMORY_GUARD_H
#define MPGPU_MEMORY_GUARD_H

#include <setjmp.h>
#include <stddef.h>

/* The state of one call of memory_guarded. Initialise it to zeros, except `out`, the target of
 * longjmp after a failed allocation. */
struct memory_guard {
    jmp_buf out;
    void **block; /* allocated blocks, the latest last */
    size_t count, room;
};

/* Allocate, resize and free private blocks (lib/gmp/private_block.h).  If memory is missing,
 * memory_guard_alloc and memory_guard_resize do not return, but jump to g->out. */
void *memory_guard_alloc(struct memory_guard *g, size_t bytes);
void *memory_guard_resize(struct memory_guard *g, void *p, size_t bytes);
void memory_guard_free(struct memory_guard *g, void *p, size_t bytes);

/* memory_guard_end discards the list, and leaves the blocks allocated; memory_guard_abandon frees
 * them. */
void memory_guard_end(struct memory_guard *g);
void memory_guard_abandon(struct memory_guard *g);

#endif
