/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Pages of host memory.  On some systems they have 64 KiB. */
#ifndef MPGPU_PAGES_H
#define MPGPU_PAGES_H

#include <stddef.h>
#include <stdint.h>

size_t pages_size(void);

/* Returns the beginning of the page that contains p. */
static inline char *pages_of(const void *p) {
    return (char *)((uintptr_t)p & ~(uintptr_t)(pages_size() - 1));
}

/* The bytes of the whole pages of {p, bytes}, which begin at *begin. */
size_t pages_within(void *p, size_t bytes, char **begin);

/* madvise for these.  By itself it takes the rest of the last page as well, whatever lies there. */
void pages_advise(void *p, size_t bytes, int advice);

/* Fresh memory costs one page fault per page.  Advises large pages where {p, bytes} is long. */
void pages_advise_large(void *p, size_t bytes);

/* Maps a file that another process maps too, MAP_FAILED if that cannot be.  After
 * mlockall(MCL_FUTURE) its pages would all be there at once, and locked: here they come when they
 * are touched. */
void *pages_share(int file, size_t bytes);

#endif
