/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks whether memory of a given size is available on this machine. */
#include "config.h"

#include "examples/mandelbrot/memory.h"

#include <inttypes.h>
#include <stdio.h>

/* Returns the first number that `format` matches in a line of the file; UINT64_MAX if no line
 * matches. */
static uint64_t number_in(const char *path, const char *format) {
    char line[256];
    uint64_t found = UINT64_MAX;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, format, &found) == 1)
            break;
    if (file)
        fclose(file);
    return found;
}

bool memory_suffices(uint64_t bytes) {
    uint64_t kib = number_in("/proc/meminfo", "MemAvailable: %" SCNu64);
    uint64_t limit = number_in("/sys/fs/cgroup/memory.max", "%" SCNu64);
    uint64_t limit_v1 = number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", "%" SCNu64);
    return bytes / 1024 <= kib && bytes <= limit && bytes <= limit_v1;
}
