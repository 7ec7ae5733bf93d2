/* SPDX-License-Identifier: LGPL-3.0-or-later
 * sigaction: keeps drivers from changing the program's signal handlers.
 *
 * A compiler in a driver installs handlers for signals that may end the process, to remove its
 * temporary files.  It restores the program's handlers only when such a signal arrives.  That is
 * too late for a garbage collector that stops several threads of the program by signals at once.
 * So sigaction changes nothing in this library's threads and in threads that a driver has started
 * there; it only returns the current handler. */
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
