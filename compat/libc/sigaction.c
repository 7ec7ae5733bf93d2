/* SPDX-License-Identifier: LGPL-3.0-or-later
 * sigaction: drivers leave the program's signals alone.
 *
 * A compiler in a driver takes over what may end the process, to remove its temporary files, and
 * gives it back when such a signal has come: too late for a garbage collector that stops the
 * threads of the program by signals, several at once.  So in threads of ours, and those that a
 * driver has made in them, sigaction only answers. */
#include <errno.h>
#include <signal.h>

#include "compat/intercept/call.h"
#include "lib/process/next_in_libc.h"
#include "lib/process/worker.h"

EXPORT UNSANITIZED int sigaction(int signal, const struct sigaction *restrict action,
                                 struct sigaction *restrict old) {
    if (!next_in_libc()->sigaction) {
        errno = ENOSYS;
        return -1;
    }
    return next_in_libc()->sigaction(signal, action && worker_is_here() ? NULL : action, old);
}
