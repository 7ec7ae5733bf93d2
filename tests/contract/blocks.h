/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory functions for GMP that count the blocks asked for and check their callers.  One thread. */
#ifndef MPGPU_BLOCKS_H
#define MPGPU_BLOCKS_H

#include <stddef.h>

/* Requests to the memory functions since blocks_start. */
struct blocks_asked {
    size_t calls;   /* of the allocation and the reallocation function */
    size_t largest; /* bytes of one block */
    size_t peak;    /* bytes of all blocks together, above those at the start */
};

/* For mp_set_memory_functions.  They abort the program for a wrong block size, a block of other
 * functions, and a write behind a block's end. */
void *blocks_allocate(size_t bytes);
void *blocks_reallocate(void *p, size_t old, size_t bytes);
void blocks_release(void *p, size_t bytes);

/* Counts a block of other functions. */
void blocks_note(size_t bytes);
void blocks_forget(size_t bytes);

/* Counts from zero. */
void blocks_start(void);
struct blocks_asked blocks_stop(void);

#endif
