/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Processes that no driver ought to be brought into.
 *
 * A filter of system calls (seccomp) may end the process where a driver starts a thread or opens a
 * file.  One that was there at the start, as in a container, has let the program and its libraries
 * be loaded, and does not count.  A program that installs another has made up its mind. */
#include "config.h"

#include "lib/process/surroundings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "lib/process/allocator.h"
#include "lib/base/conf.h"
#include "lib/base/objects.h"
#include "lib/base/process.h"

static int mode_at_start, filters_at_start;

/* 0 without a filter. */
static int filter_mode(void) {
    int saved = errno, mode = prctl(PR_GET_SECCOMP, 0, 0, 0, 0);
    errno = saved;
    return mode > 0 ? mode : 0;
}

/* How many filters this thread has; -1 where the kernel does not tell. */
static int count_filters(void) {
    static const char key[] = "\nSeccomp_filters:\t";
    char text[8192];
    process_text("/proc/thread-self/status", text, sizeof text);
    const char *line = strstr(text, key);
    return line ? atoi(line + sizeof key - 1) : -1;
}

static __attribute__((constructor)) void look_at_filters(void) {
    mode_at_start = filter_mode();
    if (mode_at_start)
        filters_at_start = count_filters();
}

int surroundings_are_confined(void) {
    return !mode_at_start && filter_mode();
}

static int has_new_filter(void) {
    return mode_at_start ? count_filters() != filters_at_start : filter_mode() != 0;
}

int surroundings_forbid_threads(void) {
    return !conf_names_device() && has_new_filter();
}

const char *surroundings_forbid(void) {
    if (!objects_have_program())
        return "the library is not in the program's own namespace (dlmopen)";
    if (!allocator_is_whole())
        return "the program has a malloc of its own, but no aligned_alloc to it";
    if (surroundings_forbid_threads())
        return "the program filters its system calls (seccomp)";
    return NULL;
}
