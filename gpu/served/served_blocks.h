/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Blocks of whole pages in memory that two processes see, by their places. */
#ifndef MPGPU_SERVED_BLOCKS_H
#define MPGPU_SERVED_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

enum { SERVED_BLOCKS = 256, SERVED_PAGE = 4096 };

/* Sorted by place; all 0 at first.  The caller excludes other threads. */
struct served_blocks {
    int count;
    struct {
        size_t begin, end;
    } block[SERVED_BLOCKS];
};

/* Adds a block of at least `bytes` bytes inside the first `room` bytes, in the first gap that is
 * large enough.  Returns false if there is none. */
bool served_blocks_add(struct served_blocks *b, size_t bytes, size_t room, size_t *begin);

/* Removes the block at `begin` and returns its bytes; 0 if no block begins there. */
size_t served_blocks_remove(struct served_blocks *b, size_t begin);

#endif
