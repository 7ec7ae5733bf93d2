/* SPDX-License-Identifier: LGPL-3.0-or-later
 * exit: this library shuts down before all exit handlers.
 *
 * Libraries that a driver loads register exit handlers while they are loaded.  These run before the
 * handlers that this library has registered earlier.  If a thread calls exit at that time, the
 * handlers would destroy the driver's libraries while this library's thread is still inside
 * them. */
#include <stdlib.h>
#include <unistd.h>

#include "compat/intercept/call.h"
#include "lib/process/next_in_libc.h"
#include "lib/process/shutdown.h"

EXPORT void exit(int status) {
    shutdown_begin();
    if (next_in_libc()->exit)
        next_in_libc()->exit(status);
    _exit(status);
}
