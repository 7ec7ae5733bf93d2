/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Blocks of the library's own, for what GMP's functions allocate while the library calls them.  The
 * address of a block identifies it, so that GMP's functions for memory can tell it from blocks of
 * the program's functions, in any thread and without a table. */
#ifndef MPGPU_PRIVATE_BLOCK_H
#define MPGPU_PRIVATE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

/* Allocates a block, from malloc.  Ends the program if there is no memory, as GMP's default
 * function does.  Aligned to 8 bytes, for limbs. */
void *private_block_alloc(size_t bytes);

/* The same; returns NULL if there is no memory, and p is unchanged then. */
void *private_block_try(size_t bytes);
void *private_block_try_resize(void *p, size_t bytes);

/* Changes the size of a block, which may move. */
void *private_block_resize(void *p, size_t old, size_t bytes);

void private_block_free(void *p, size_t bytes);

/* Returns true if p is such a block.  p is any block that a program's function may have returned.
 */
bool private_block_owns(const void *p);

#endif
