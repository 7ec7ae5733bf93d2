/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The session, which a program opens once, opened many times: lib/session.c with a
 * way back to its beginning. */
#include "session_anew.h"

#include "lib/gate.c"
#include "lib/session.c"

void session_put_down(void) {
    if (session.dev.impl)
        opener_close(&session);
    atomic_store(&is_shut, 0);
    atomic_store(&faults, 0);
    atomic_store(&state, CLOSED);
}

void session_anew(void) {
    static int prepared;
    session_init();
    if (!prepared)
        start_opening();
    else {
        atomic_store(&state, OPENING);
        opening_since = stats_clock();
        executor_post(open_device, NULL);
    }
    prepared = 1;
    session_wait();
}

int session_faults(void) {
    return atomic_load(&faults);
}
