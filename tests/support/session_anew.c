/* SPDX-License-Identifier: LGPL-3.0-or-later
 * lib/session/session.c with a way back to its beginning: a program opens its session once, a test
 * many times. */
#include "tests/support/session_anew.h"

#include "lib/process/gate.c"
#include "lib/session/gather.c"
#include "lib/session/gather_slots.c"
#include "lib/session/gather_thread.c"
#include "lib/session/session.c"
#include "lib/session/session.h"

/* Products that were given up have kept their slots. */
static void put_gather_down(void) {
    while (atomic_load(&draining)) /* it would open the way again */
        usleep(1000);
    if (atomic_exchange(&way, WAY_CLOSED) == WAY_OPEN)
        close_context();
    atomic_store(&abandoned, false);
    atomic_store(&taken, 0);
    atomic_store(&given_back, atomic_load(&tickets));
    atomic_store(&late, 0);
    for (int i = 0; i < QUEUES; i++)
        atomic_store(&load[i], 0);
}

int session_put_down(void) {
    streams_allow(1, open_stream, 0, 0);
    put_gather_down();
    for (int i = STREAMS_MOST; i-- > 0;) {
        struct stream *stream = streams_get(i);
        if (stream->context.dev.impl)
            opener_close(&stream->context);
        stream->state = i == 0 && stream->executor ? STREAM_FREE : STREAM_CLOSED;
    }
    atomic_store(&faults, 0);
    atomic_store(&state, CLOSED);
    return atomic_exchange(&is_shut, 0);
}

/* Ends a session that an operation opened by itself. */
void session_anew(void) {
    static int again;
    session_init();
    if (atomic_load(&state) == CLOSED && !again) {
        start_opening();
    } else {
        session_calm();
        session_put_down();
        atomic_store(&state, OPENING);
        struct stream *stream = streams_begin();
        executor_post(stream->executor, open_device, stream);
    }
    again = 1;
    session_wait();
}

void session_calm(void) {
    for (int i = 0; i < STREAMS_MOST; i++)
        if (streams_get(i)->executor)
            executor_wait(streams_get(i)->executor, 0);
    while (atomic_load(&draining))
        usleep(1000);
}

bool session_way_failed(void) {
    return atomic_load(&way) == WAY_FAILED;
}

int session_faults(void) {
    return atomic_load(&faults);
}
