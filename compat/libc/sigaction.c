/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Intercepts sigaction, so that drivers do not change the program's signal handlers.
 *
 * A driver's compiler replaces the handlers of signals that may end the process. The compiler
 * restores the old handlers too late for a garbage collector that stops threads by signals. So in
 * threads of this library and of drivers, sigaction only returns the current handler and changes
 * nothing. */
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
