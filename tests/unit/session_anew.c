/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The session, which a program opens once, opened many times: lib/session.c with a
 * way back to its beginning. */
#include "session_anew.h"

#include "lib/gate.c"
#include "lib/session.c"

int session_put_down(void) {
    if (session.dev.impl)
        opener_close(&session);
    atomic_store(&faults, 0);
    atomic_store(&state, CLOSED);
    return atomic_exchange(&is_shut, 0);
}

/* A life that has begun by itself, at an operation, comes to its end here. */
void session_anew(void) {
    static int again;
    session_init();
    if (atomic_load(&state) == CLOSED && !again) {
        start_opening();
    } else {
        executor_wait(0);
        session_put_down();
        atomic_store(&state, OPENING);
        executor_post(open_device, NULL);
    }
    again = 1;
    session_wait();
}

void session_calm(void) {
    executor_wait(0);
}

int session_faults(void) {
    return atomic_load(&faults);
}
