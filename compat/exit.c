/* SPDX-License-Identifier: LGPL-3.0-or-later
 * exit: our end comes before all others.
 *
 * Libraries that a driver brings register what is to be done at the end while they are loaded,
 * and that runs before what we have registered until then.  If a thread calls exit just then,
 * they would be taken down while our thread is still inside them. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call.h"
#include "lib/leaving.h"

EXPORT void exit(int status) {
    void (*real_exit)(int);
    void *address = dlsym(RTLD_NEXT, "exit");
    leaving_begin();
    memcpy(&real_exit, &address, sizeof address);
    if (address)
        real_exit(status);
    _exit(status);
}
