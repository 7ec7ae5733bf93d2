/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Pages of host memory. A page has 4 KiB or more; on some systems 64 KiB. */
#ifndef MPGPU_PAGES_H
#define MPGPU_PAGES_H

#include <stddef.h>
#include <stdint.h>

/* For arrays of kilobytes that are initially 0 and unused in small programs. The linker places them
 * on other pages than the data that every start uses (lib/base/started.h). */
#define LARGE_ZERO __attribute__((section(".bss.large")))

size_t pages_size(void);

/* Returns the beginning of the page that contains p. */
static inline char *pages_of(const void *p) {
    return (char *)((uintptr_t)p & ~(uintptr_t)(pages_size() - 1));
}

/* Returns the size of the whole pages within {p, bytes}, which begin at *begin; 0 if there are
 * none. */
size_t pages_within(void *p, size_t bytes, char **begin);

/* Calls madvise for the whole pages in {p, bytes}: madvise itself would include the rest of the
 * last page, which may hold other data. */
void pages_advise(void *p, size_t bytes, int advice);

/* Advises large pages if {p, bytes} is long: fresh memory costs one page fault per page. */
void pages_advise_large(void *p, size_t bytes);

/* Maps a file that another process maps too; returns MAP_FAILED on failure.  Pages are allocated at
 * the first access, even after mlockall(MCL_FUTURE). */
void *pages_share(int file, size_t bytes);

#endif
