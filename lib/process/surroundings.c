/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Processes that no driver is loaded into. */
#include "config.h"

#include "lib/process/surroundings.h"

#include <stddef.h>

#include "lib/base/conf.h"
#include "lib/base/objects.h"
#include "lib/base/syscall_filter.h"
#include "lib/process/allocator.h"

bool surroundings_forbid_threads(void) {
    return !conf_names_device() && syscall_filter_is_new();
}

const char *surroundings_forbid(void) {
    if (!objects_have_program())
        return "the library is not in the program's own namespace (dlmopen)";
    if (!allocator_is_complete())
        return "the program has a malloc of its own, but no aligned_alloc to it";
    if (surroundings_forbid_threads())
        return "the program filters its system calls (seccomp)";
    return NULL;
}
