/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory functions for GMP that check their callers.  Each block is freed once, with its size, by
 * the functions that were in force when it was allocated.  Nothing is written beyond its end, and
 * nothing is read from it later. */
#ifndef MPGPU_CHECKED_MEMORY_H
#define MPGPU_CHECKED_MEMORY_H

#include <stddef.h>

/* The functions.  Reallocated blocks always move.  An error is printed, with the result of
 * checked_memory_caller if that is not NULL, and aborts the program. */
void *checked_memory_alloc(size_t bytes);
void *checked_memory_realloc(void *p, size_t bytes, size_t wanted);
void checked_memory_free(void *p, size_t bytes);
extern const char *(*checked_memory_caller)(void);

/* Puts them in force; blocks of other functions must have been freed before. */
void checked_memory_begin(void);

/* Return the blocks allocated so far, and the blocks not freed yet. */
unsigned long checked_memory_made(void);
unsigned long checked_memory_left(void);

#endif
