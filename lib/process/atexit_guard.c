/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decides whether the exit handlers run that a driver's libraries have registered. In three cases
 * these handlers must not run. First, a handler of a compiler's library destroys static objects
 * that a build still uses. Second, a handler may wait for a driver that hangs. Third, in a child of
 * fork the locks of a driver may stay locked.
 *
 * This library replaces __cxa_atexit, which registers all handlers. A handler belongs to a driver
 * if a thread of this library or of a driver registers it. Handlers run in reverse order of
 * registration. After atexit_guard_run_first, this library therefore registers its own handler
 * again after each other handler, so that its own handler runs first. */
#include "config.h"

#include "lib/process/atexit_guard.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "lib/base/process.h"
#include "lib/process/floating.h"
#include "lib/process/next_in_libc.h"
#include "lib/process/worker.h"

struct handler {
    void (*function)(void *);
    void *argument;
};

static atomic_int handlers_are_forbidden, has_ended;
static void (*_Atomic first)(void *);

extern void *__dso_handle __attribute__((visibility("hidden")));

void atexit_guard_forbid(void) {
    atomic_store(&handlers_are_forbidden, 1);
}

void atexit_guard_run_first(void (*handler)(void *)) {
    atomic_store(&first, handler);
    atexit_guard_renew();
}

UNSANITIZED void atexit_guard_renew(void) {
    void (*handler)(void *) = atomic_load(&first);
    if (handler && !atomic_load(&has_ended) && next_in_libc()->cxa_atexit)
        next_in_libc()->cxa_atexit(handler, NULL, &__dso_handle);
}

void atexit_guard_end(void) {
    atomic_store(&has_ended, 1);
}

static void run_exit_handler(void *allocated) {
    struct handler handler = *(struct handler *)allocated;
    free(allocated);
    if (atomic_load(&handlers_are_forbidden) || !process_is_ours())
        return;
    struct floating before;
    floating_begin(&before);
    handler.function(handler.argument);
    floating_end(&before);
}

static UNSANITIZED int register_exit_handler(void (*function)(void *), void *argument,
                                             void *library) {
    if (!worker_is_here())
        return next_in_libc()->cxa_atexit(function, argument, library);
    struct handler *handler = malloc(sizeof *handler);
    if (!handler)
        return -1;
    *handler = (struct handler){function, argument};
    return next_in_libc()->cxa_atexit(run_exit_handler, handler, library);
}

/* Replaces the C library's function, which registers an exit handler. */
__attribute__((visibility("default"))) UNSANITIZED int __cxa_atexit(void (*function)(void *),
                                                                    void *argument, void *library) {
    if (!next_in_libc()->cxa_atexit)
        return -1;
    int status = register_exit_handler(function, argument, library);
    atexit_guard_renew();
    return status;
}
