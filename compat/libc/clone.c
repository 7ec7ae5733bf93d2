/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Intercepts clone and _Fork, which run no fork handlers, and does the handlers' work.
 *
 * The library's memory pool is shared with mpgpu-serve, so the kernel would not copy it for a
 * child. The parent makes the pool private first, as fork handlers do. The child may connect to the
 * server, but starts no threads, because libc has not prepared it for threads. */
#define _GNU_SOURCE 1 /* CLONE_VM */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <unistd.h>

#include "compat/intercept/call.h"
#include "lib/base/at_fork.h"
#include "lib/base/process.h"
#include "lib/process/next_in_libc.h"

EXPORT pid_t _Fork(void);

static void end_in_parent(void) {
    const int error = errno;
    at_fork_in_parent();
    errno = error;
}

static void begin_in_child(void) {
    process_forbid_threads();
    at_fork_in_child();
}

EXPORT pid_t _Fork(void) {
    if (!next_in_libc()->plain_fork) {
        errno = ENOSYS;
        return -1;
    }
    at_fork_before();
    const pid_t pid = next_in_libc()->plain_fork();
    if (pid != 0)
        end_in_parent();
    else
        begin_in_child();
    return pid;
}

struct start {
    int (*function)(void *);
    void *argument;
};

/* Runs in the child, which has a copy of the parent's stack. */
static int run(void *start) {
    const struct start s = *(struct start *)start;
    begin_in_child();
    return s.function(s.argument);
}

EXPORT int clone(int (*function)(void *), void *stack, int flags, void *argument, ...) {
    va_list more;
    va_start(more, argument);
    pid_t *const parent = va_arg(more, pid_t *);
    void *const tls = va_arg(more, void *);
    pid_t *const child = va_arg(more, pid_t *);
    va_end(more);
    struct start start = {function, argument};
    if (!next_in_libc()->clone) {
        errno = ENOSYS;
        return -1;
    }
    if (flags & CLONE_VM)
        return next_in_libc()->clone(function, stack, flags, argument, parent, tls, child);
    at_fork_before();
    const int pid = next_in_libc()->clone(run, stack, flags, &start, parent, tls, child);
    end_in_parent();
    return pid;
}
