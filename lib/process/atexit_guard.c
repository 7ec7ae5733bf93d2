/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What the libraries that a driver brings have registered for the end of the program.
 *
 * A compiler's library destroys its static objects there, whoever is at work on them.  A build
 * can take longer than a program that ends ought to wait, a driver that hangs never comes back, and
 * in a child of fork such a thread is gone, with all that it held: then these objects stay as they
 * are.  They are all registered through __cxa_atexit, which the C library's own atexit calls too,
 * by the thread that loads the library, or a thread that a driver has made in it.
 *
 * Handlers run in reverse order.  So after each that is registered once a device is being opened,
 * by whomever, ours comes again: nothing is taken down before we have left. */
#include "config.h"

#include "lib/process/atexit_guard.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "lib/process/next_in_libc.h"
#include "lib/process/floating.h"
#include "lib/process/shutdown.h"
#include "lib/base/process.h"
#include "lib/process/worker.h"

struct handler {
    void (*function)(void *);
    void *argument;
};

static atomic_int forbidden;

void atexit_guard_forbid(void) {
    atomic_store(&forbidden, 1);
}

static void run(void *allocated) {
    struct handler handler = *(struct handler *)allocated;
    free(allocated);
    if (atomic_load(&forbidden) || !process_is_ours())
        return;
    struct floating before;
    floating_begin(&before);
    handler.function(handler.argument);
    floating_end(&before);
}

static UNSANITIZED int put(void (*function)(void *), void *argument, void *library) {
    if (!worker_is_here())
        return next_in_libc()->cxa_atexit(function, argument, library);
    struct handler *handler = malloc(sizeof *handler);
    if (!handler)
        return -1;
    *handler = (struct handler){function, argument};
    return next_in_libc()->cxa_atexit(run, handler, library);
}

/* In place of the C library's. */
__attribute__((visibility("default"))) UNSANITIZED int __cxa_atexit(void (*function)(void *),
                                                                    void *argument, void *library) {
    if (!next_in_libc()->cxa_atexit)
        return -1;
    int status = put(function, argument, library);
    shutdown_prepare_again();
    return status;
}
