/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Private blocks: memory that GMP's functions allocate for this library, when the library calls
 * them. GMP's memory functions recognise such a block by its address and the word before it,
 * without a table. Any thread can free a block. */
#ifndef MPGPU_PRIVATE_BLOCK_H
#define MPGPU_PRIVATE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

/* From now on, private_block_alloc allocates in the heap (lib/process/heap.h). */
void private_block_use_heap(void);

/* Allocates a block by malloc, aligned to 8 bytes, for limbs. Ends the program if memory is
 * missing, as GMP's default function does. */
void *private_block_alloc(size_t bytes);

/* Allocate or resize a private block. Return NULL if memory is missing, and leave the block p
 * unchanged. */
void *private_block_try(size_t bytes);
void *private_block_try_resize(void *p, size_t bytes);

/* Changes the size of a block, which may move. */
void *private_block_resize(void *p, size_t old, size_t bytes);

void private_block_free(void *p, size_t bytes);

/* Returns true if p is a private block. p may also be a block that a memory function of the program
 * returned. */
bool private_block_owns(const void *p);

#endif
