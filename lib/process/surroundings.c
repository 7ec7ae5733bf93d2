/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds out what the library must not do in this process. */
#include "config.h"

#include "lib/process/surroundings.h"

#include <signal.h>
#include <stddef.h>

#include "lib/base/conf.h"
#include "lib/base/objects.h"
#include "lib/base/process.h"
#include "lib/base/syscall_filter.h"
#include "lib/process/heap.h"
#include "lib/process/next_in_libc.h"

static bool has_filter(void) {
    return !conf_names_device() && syscall_filter_is_new();
}

bool surroundings_forbid_threads(void) {
    return process_forbids_threads() || heap_is_needed() || has_filter();
}

const char *surroundings_forbid(void) {
    if (!objects_have_program())
        return "the library is not in the program's own namespace (dlmopen)";
    if (heap_is_needed() && mpgpu_conf.server == SERVER_OFF)
        return "the program has a malloc of its own, but no aligned_alloc to it, and server:off";
    if (has_filter())
        return "the program filters its system calls (seccomp)";
    return NULL;
}

/* Returns true if the signal has a handler, or if that is unknown. Calls the C library's sigaction,
 * because a program's own sigaction may hide the handler. */
static bool has_handler(int signal) {
    struct sigaction action;
    if (!next_in_libc()->sigaction || next_in_libc()->sigaction(signal, NULL, &action) != 0)
        return true;
    return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

bool surroundings_handle_faults(void) {
    return has_handler(SIGSEGV) || has_handler(SIGBUS);
}
