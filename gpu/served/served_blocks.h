/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Allocates blocks of whole pages in memory that two processes map. A block is named by its
 * offset, because the processes map the memory at different addresses. */
#ifndef MPGPU_SERVED_BLOCKS_H
#define MPGPU_SERVED_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

enum { SERVED_BLOCKS = 256, SERVED_PAGE = 4096 };

/* Blocks sorted by offset; all 0 at first. The caller must hold a lock. */
struct served_blocks {
    int count;
    struct {
        size_t begin, end;
    } block[SERVED_BLOCKS];
};

/* Allocates a block of at least `bytes` bytes in the first gap that is large enough, below the
 * offset `room`. Returns false if there is no such gap. */
bool served_blocks_add(struct served_blocks *b, size_t bytes, size_t room, size_t *begin);

/* Frees the block at `begin` and returns its size in bytes; 0 if no block begins there. */
size_t served_blocks_remove(struct served_blocks *b, size_t begin);

#endif
