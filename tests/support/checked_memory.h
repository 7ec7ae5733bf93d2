/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory functions for GMP that check their callers.  Each block must be freed once, with its size,
 * by functions that were set when it was allocated.  Nothing may be written beyond its end, and a
 * freed block is overwritten to expose later reads. */
#ifndef MPGPU_CHECKED_MEMORY_H
#define MPGPU_CHECKED_MEMORY_H

#include <stddef.h>

/* The memory functions.  Reallocation always moves a block.  An error is printed, with the text
 * from checked_memory_caller if that is not NULL, and aborts the program. */
void *checked_memory_alloc(size_t bytes);
void *checked_memory_realloc(void *p, size_t bytes, size_t wanted);
void checked_memory_free(void *p, size_t bytes);
extern const char *(*checked_memory_caller)(void);

/* Makes GMP use these functions (mp_set_memory_functions). Before, free all blocks that other
 * memory functions have allocated. */
void checked_memory_begin(void);

/* checked_memory_made returns the number of blocks allocated so far; checked_memory_left returns
 * how many were not freed. */
unsigned long checked_memory_made(void);
unsigned long checked_memory_left(void);

#endif
