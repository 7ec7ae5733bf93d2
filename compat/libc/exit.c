/* SPDX-License-Identifier: LGPL-3.0-or-later
 * exit: our end comes before all others.
 *
 * Libraries that a driver brings register what is to be done at the end while they are loaded,
 * and that runs before what we have registered until then.  If a thread calls exit just then,
 * they would be taken down while our thread is still inside them. */
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
