/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Intercepts exit, so that this library shuts down before any exit handler runs.
 *
 * Libraries of a driver register exit handlers when they are loaded. These handlers run before the
 * ones that this library registered earlier. Without this function, the driver's handlers would
 * destroy the driver's data while a thread of this library is still inside the driver. */
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
