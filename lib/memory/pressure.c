/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads /proc/meminfo, the files of the process's control group (version 2), and its limit of
 * address space. */
#include "lib/memory/pressure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "lib/base/min.h"

enum { LEFT_TO_ALL = 8 }; /* 1/8 */

/* A line "name  number" of a file, or a file that is a number (name ""); `none` where it is
 * not there. */
static uint64_t read_number(const char *path, const char *name, uint64_t none) {
    char line[256];
    uint64_t number = none;
    FILE *file = fopen(path, "re");
    if (!file)
        return none;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, name, strlen(name)) == 0) {
            if (sscanf(line + strlen(name), "%" SCNu64, &number) != 1)
                number = none; /* "max" */
            break;
        }
    }
    fclose(file);
    return number;
}

static uint64_t meminfo(const char *name) {
    return read_number("/proc/meminfo", name, 0) << 10;
}

static uint64_t group_most(void) {
    return read_number("/sys/fs/cgroup/memory.max", "", UINT64_MAX);
}

/* What is in use, except the pages of files, which the kernel can drop. */
static uint64_t group_used(void) {
    uint64_t used = read_number("/sys/fs/cgroup/memory.current", "", 0);
    uint64_t files = read_number("/sys/fs/cgroup/memory.stat", "file ", 0);
    return used > files ? used - files : 0;
}

static uint64_t address_space(void) {
    struct rlimit space = {.rlim_cur = RLIM_INFINITY};
    getrlimit(RLIMIT_AS, &space);
    return space.rlim_cur == RLIM_INFINITY ? UINT64_MAX : space.rlim_cur;
}

uint64_t pressure_total(void) {
    return min_u64(min_u64(meminfo("MemTotal:"), group_most()), address_space());
}

bool pressure_limits_addresses(void) {
    return address_space() < UINT64_MAX;
}

bool pressure_is_high(uint64_t bytes) {
    uint64_t all = meminfo("MemTotal:"), left = meminfo("MemAvailable:"), most = group_most();
    if (left < all / LEFT_TO_ALL + bytes)
        return true;
    return most < all && most < group_used() + most / LEFT_TO_ALL + bytes;
}
