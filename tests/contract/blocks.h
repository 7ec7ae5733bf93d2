/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory functions for mp_set_memory_functions that count the requested blocks and check their
 * callers.  Only one thread may use them. */
#ifndef MPGPU_BLOCKS_H
#define MPGPU_BLOCKS_H

#include <stddef.h>

/* What a call has requested from the memory functions since blocks_start. */
struct blocks_asked {
    size_t calls;   /* calls of the allocation and the reallocation function */
    size_t largest; /* bytes of the largest block */
    size_t peak;    /* the maximum of all allocated bytes, minus the bytes allocated at the start */
};

/* Memory functions for mp_set_memory_functions.  They abort the program if a block is passed with a
 * wrong size, if it came from other functions, or if memory behind its end was written. */
void *blocks_allocate(size_t bytes);
void *blocks_reallocate(void *p, size_t old, size_t bytes);
void blocks_release(void *p, size_t bytes);

/* blocks_note and blocks_forget count an allocation and a release by other memory functions. */
void blocks_note(size_t bytes);
void blocks_forget(size_t bytes);

/* Counts from zero. */
void blocks_start(void);
struct blocks_asked blocks_stop(void);

#endif
