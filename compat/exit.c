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

static void (*real_exit)(int);

/* As early as that, since dlsym waits for a library that is being loaded. */
static __attribute__((constructor)) void find_exit(void) {
    void *address = dlsym(RTLD_NEXT, "exit");
    memcpy(&real_exit, &address, sizeof address);
}

EXPORT void exit(int status) {
    leaving_begin();
    if (!real_exit)
        find_exit();
    if (real_exit)
        real_exit(status);
    _exit(status);
}
