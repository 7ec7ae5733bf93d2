/* SPDX-License-Identifier: LGPL-3.0-or-later
 * clone and _Fork: fork's handlers do not run for the children that these make.
 *
 * A server's device shares the pool's memory with this process.  Such memory is not copied for a
 * child, so it is made private before, as for a child of fork.  The child computes with GMP. */
#define _GNU_SOURCE 1 /* CLONE_VM */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <unistd.h>

#include "compat/intercept/call.h"
#include "lib/memory/segments.h"
#include "lib/process/next_in_libc.h"
#include "lib/process/shutdown.h"

EXPORT pid_t _Fork(void);

static void begin(void) {
    shutdown_before_fork();
    segments_before_fork();
}

/* In the parent alone. */
static void end(void) {
    const int error = errno;
    segments_after_fork();
    shutdown_after_fork();
    errno = error;
}

EXPORT pid_t _Fork(void) {
    if (!next_in_libc()->plain_fork) {
        errno = ENOSYS;
        return -1;
    }
    begin();
    const pid_t pid = next_in_libc()->plain_fork();
    if (pid != 0)
        end();
    return pid;
}

EXPORT int clone(int (*function)(void *), void *stack, int flags, void *argument, ...) {
    va_list more;
    va_start(more, argument);
    pid_t *const parent = va_arg(more, pid_t *);
    void *const tls = va_arg(more, void *);
    pid_t *const child = va_arg(more, pid_t *);
    va_end(more);
    if (!next_in_libc()->clone) {
        errno = ENOSYS;
        return -1;
    }
    if (!(flags & CLONE_VM))
        begin();
    const int pid = next_in_libc()->clone(function, stack, flags, argument, parent, tls, child);
    if (!(flags & CLONE_VM))
        end();
    return pid;
}
