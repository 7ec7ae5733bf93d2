/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Pages of host memory: rounding to pages, madvise, and shared mappings. */
#include "config.h"

#include "gpu/host/pages.h"

#include <sys/mman.h>
#include <unistd.h>

/* Memory of this size or more gets large pages (MADV_HUGEPAGE). */
#define LARGE_BYTES ((size_t)4 << 20)

size_t pages_size(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

size_t pages_within(void *p, size_t bytes, char **begin) {
    char *first = pages_of((char *)p + pages_size() - 1), *end = pages_of((char *)p + bytes);
    *begin = first;
    return end > first ? (size_t)(end - first) : 0;
}

void pages_advise(void *p, size_t bytes, int advice) {
    char *begin;
    size_t whole = pages_within(p, bytes, &begin);
    if (whole > 0)
        madvise(begin, whole, advice);
}

void pages_advise_large(void *p, size_t bytes) {
    if (bytes >= LARGE_BYTES)
        pages_advise(p, bytes, MADV_HUGEPAGE);
}

/* Maps with PROT_NONE first: so the kernel does not touch the pages, even if the process locks
 * its mappings (mlockall). */
void *pages_share(int file, size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (p == MAP_FAILED)
        return p;
    munlock(p, bytes);
    if (mprotect(p, bytes, PROT_READ | PROT_WRITE) == 0)
        return p;
    munmap(p, bytes);
    return MAP_FAILED;
}
