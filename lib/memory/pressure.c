/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds out how much memory is left: from /proc/meminfo, the limits of the process's control
 * groups, and its limit of address space. */
#include "lib/memory/pressure.h"

#include <sys/resource.h>

#include "lib/base/min.h"
#include "lib/memory/cgroup.h"

enum { LEFT_TO_ALL = 8 }; /* 1/8 */

static uint64_t meminfo(const char *name) {
    return cgroup_read_number("/proc/meminfo", name, 0) << 10;
}

static uint64_t address_space(void) {
    struct rlimit space = {.rlim_cur = RLIM_INFINITY};
    getrlimit(RLIMIT_AS, &space);
    return space.rlim_cur == RLIM_INFINITY ? UINT64_MAX : space.rlim_cur;
}

uint64_t pressure_total(void) {
    return min_u64(min_u64(meminfo("MemTotal:"), cgroup_most()), address_space());
}

bool pressure_limits_addresses(void) {
    return address_space() < UINT64_MAX;
}

bool pressure_of_groups(uint64_t bytes) {
    return cgroup_is_short(bytes, meminfo("MemTotal:"));
}

bool pressure_is_high(uint64_t bytes) {
    uint64_t all = meminfo("MemTotal:"), left = meminfo("MemAvailable:");
    return left < all / LEFT_TO_ALL + bytes || cgroup_is_short(bytes, all);
}
