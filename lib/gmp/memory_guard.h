/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The blocks of a run of memory_guarded (lib/gmp/memory.h).  Private to memory.c and
 * memory_guard.c. */
#ifndef MPGPU_MEMORY_GUARD_H
#define MPGPU_MEMORY_GUARD_H

#include <setjmp.h>
#include <stddef.h>

/* Zero at first, but for `out`, to which a failed allocation jumps. */
struct memory_guard {
    jmp_buf out;
    void **block; /* those that are allocated, the latest last */
    size_t count, room;
};

/* Private blocks (lib/gmp/private_block.h).  alloc and resize do not return without memory. */
void *memory_guard_alloc(struct memory_guard *g, size_t bytes);
void *memory_guard_resize(struct memory_guard *g, void *p, size_t bytes);
void memory_guard_free(struct memory_guard *g, void *p, size_t bytes);

/* Forgets the blocks; the second frees them. */
void memory_guard_end(struct memory_guard *g);
void memory_guard_abandon(struct memory_guard *g);

#endif
