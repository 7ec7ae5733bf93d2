/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The library's own blocks, for allocations of GMP's functions while the library calls them. The
 * address of a block identifies it. So GMP's memory functions can distinguish it from blocks of the
 * program's functions, in any thread and without a table. */
#ifndef MPGPU_PRIVATE_BLOCK_H
#define MPGPU_PRIVATE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

/* Allocates a block by malloc. Ends the program if memory is missing, as GMP's default function
 * does. Aligned to 8 bytes, for limbs. */
void *private_block_alloc(size_t bytes);

/* Allocate and resize a block likewise, but return NULL if memory is missing, and leave p
 * unchanged. */
void *private_block_try(size_t bytes);
void *private_block_try_resize(void *p, size_t bytes);

/* Changes the size of a block, which may move. */
void *private_block_resize(void *p, size_t old, size_t bytes);

void private_block_free(void *p, size_t bytes);

/* Returns true if p is a private block. p may be any block that a program's function may have
 * returned. */
bool private_block_owns(const void *p);

#endif
