/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A constructor records which filters the process has at its start. Later queries compare the
 * present filters with these. */
#include "config.h"

#include "lib/base/syscall_filter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "lib/base/process.h"

static int mode_at_start, filters_at_start;
static atomic_bool is_expected;

void syscall_filter_expect(void) {
    atomic_store(&is_expected, true);
}

bool syscall_filter_is_expected(void) {
    return atomic_load_explicit(&is_expected, memory_order_relaxed);
}

/* Returns the thread's seccomp mode; 0 without a filter. */
static int filter_mode(void) {
    int saved = errno, mode = prctl(PR_GET_SECCOMP, 0, 0, 0, 0);
    errno = saved;
    return mode > 0 ? mode : 0;
}

/* Returns the number of this thread's filters; -1 if the kernel does not report it. */
static int count_filters(void) {
    static const char key[] = "\nSeccomp_filters:\t";
    char text[8192];
    process_text("/proc/thread-self/status", text, sizeof text);
    const char *line = strstr(text, key);
    return line ? atoi(line + sizeof key - 1) : -1;
}

static __attribute__((constructor)) void note_filters(void) {
    int mode = filter_mode();
    if (!mode)
        return;
    mode_at_start = mode;
    filters_at_start = count_filters();
}

bool syscall_filter_is_first(void) {
    return !mode_at_start && (atomic_load(&is_expected) || filter_mode());
}

bool syscall_filter_is_new(void) {
    if (atomic_load(&is_expected))
        return true;
    return mode_at_start ? count_filters() != filters_at_start : filter_mode() != 0;
}
