/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The C library's functions that ours stand in front of by name. */
#include "lib/process/next_in_libc.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/objects.h"
#include "lib/base/unsanitized.h"

static struct next_in_libc found;

/* Where a plug-in has brought this library, the C library precedes it. */
static UNSANITIZED void find(void *function, const char *symbol) {
    void *address = objects_next(&found, symbol);
    if (!address)
        address = objects_next(NULL, symbol);
    memcpy(function, &address, sizeof address);
}

/* A constructor: the list of libraries must not be read in a signal handler, and may be locked
 * while one is loaded.  It runs earlier still if another library's constructor makes such a call.
 */
static __attribute__((constructor)) UNSANITIZED void find_all(void) {
    find(&found.exit, "exit");
    find(&found.sigaction, "sigaction");
    find(&found.cxa_atexit, "__cxa_atexit");
}

UNSANITIZED const struct next_in_libc *next_in_libc(void) {
    if (!found.cxa_atexit)
        find_all();
    return &found;
}
