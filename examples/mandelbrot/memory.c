/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What fits into this machine. */
#include "config.h"

#include "examples/mandelbrot/memory.h"

#include <unistd.h>

bool memory_suffices(uint64_t bytes) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages <= 0 || page <= 0 || bytes / 3 <= (uint64_t)pages * (uint64_t)page / 4;
}
