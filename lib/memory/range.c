/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reserves addresses by private mappings without access rights. */
#include "config.h"

#include "lib/memory/range.h"

#include <sys/mman.h>

_Atomic uintptr_t range_begin;
_Atomic size_t range_bytes;

void *range_map(void *at, size_t bytes) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0);
    void *p = mmap(at, bytes, PROT_NONE, flags, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

bool range_reserve(size_t bytes, size_t alignment) {
    void *p = range_map(NULL, bytes + alignment);
    if (!p)
        return false;
    atomic_store(&range_begin, ((uintptr_t)p + alignment - 1) & ~(alignment - 1));
    atomic_store(&range_bytes, bytes);
    return true;
}
