/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Allocates blocks in memory that two processes map. */
#include "gpu/served/served_blocks.h"

#include <string.h>

/* Finds a gap of at least `bytes` bytes. Returns the index at which to insert the new block into
 * the sorted array, and the gap's offset in *begin. The beginning of the memory counts as the
 * end of a block. Returns -1 if there is no such gap. */
static int find(const struct served_blocks *b, size_t bytes, size_t room, size_t *begin) {
    *begin = 0;
    for (int i = 0; i < b->count && b->count < SERVED_BLOCKS; i++) {
        if (b->block[i].begin - *begin >= bytes)
            return i;
        *begin = b->block[i].end;
    }
    return b->count < SERVED_BLOCKS && room - *begin >= bytes ? b->count : -1;
}

bool served_blocks_add(struct served_blocks *b, size_t bytes, size_t room, size_t *begin) {
    size_t whole = (bytes + SERVED_PAGE - 1) / SERVED_PAGE * SERVED_PAGE;
    int i = whole >= bytes ? find(b, whole, room, begin) : -1;
    if (i < 0)
        return false;
    memmove(&b->block[i + 1], &b->block[i], (size_t)(b->count - i) * sizeof *b->block);
    b->block[i].begin = *begin;
    b->block[i].end = *begin + whole;
    b->count++;
    return true;
}

size_t served_blocks_remove(struct served_blocks *b, size_t begin) {
    int i = 0;
    while (i < b->count && b->block[i].begin != begin)
        i++;
    if (i == b->count)
        return 0;
    size_t bytes = b->block[i].end - b->block[i].begin;
    memmove(&b->block[i], &b->block[i + 1], (size_t)(b->count - i - 1) * sizeof *b->block);
    b->count--;
    return bytes;
}
