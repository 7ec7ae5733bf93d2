/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Blocks of whole pages in memory that two processes see, by their places. */
#ifndef MPGPU_SERVED_BLOCKS_H
#define MPGPU_SERVED_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

enum { SERVED_BLOCKS = 256, SERVED_PAGE = 4096 };

/* In the order of their places; all 0 at first.  The caller keeps other threads out. */
struct served_blocks {
    int count;
    struct {
        size_t begin, end;
    } block[SERVED_BLOCKS];
};

/* A new block of at least so many bytes among the first `room` bytes, at the first place that has
 * room for it.  False where none has. */
bool served_blocks_add(struct served_blocks *b, size_t bytes, size_t room, size_t *begin);

/* The bytes of the block that begins there, which is one no more; 0 if there is none. */
size_t served_blocks_remove(struct served_blocks *b, size_t begin);

#endif
