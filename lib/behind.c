/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The C library's functions behind those of ours that have their names. */
#define _GNU_SOURCE 1 /* RTLD_NEXT */
#include "behind.h"

#include <dlfcn.h>
#include <string.h>

#include "worker.h"

static struct behind found;

static UNSANITIZED void find(void *function, const char *symbol) {
    void *address = dlsym(RTLD_NEXT, symbol);
    memcpy(function, &address, sizeof address);
}

/* As early as that, since dlsym is not for handlers of signals, and waits for a library that is
 * being loaded; earlier still if another library begins with such a call. */
static __attribute__((constructor)) UNSANITIZED void find_all(void) {
    find(&found.exit, "exit");
    find(&found.sigaction, "sigaction");
    find(&found.cxa_atexit, "__cxa_atexit");
}

UNSANITIZED const struct behind *behind(void) {
    if (!found.cxa_atexit)
        find_all();
    return &found;
}
