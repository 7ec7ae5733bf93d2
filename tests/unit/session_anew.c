/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The session, which a program opens once, opened many times: lib/session.c with a
 * way back to its beginning. */
#include "session_anew.h"

#include "lib/session.c"

void session_put_down(void) {
    if (session.dev.impl)
        opener_close(&session);
    atomic_store(&faults, 0);
    atomic_store(&state, CLOSED);
}

void session_anew(void) {
    static int prepared;
    if (!prepared)
        leaving_prepare(&operation, holds);
    prepared = 1;
    session_init();
    atomic_store(&state, OPENING);
    open_device(NULL);
}

int session_faults(void) {
    return atomic_load(&faults);
}
