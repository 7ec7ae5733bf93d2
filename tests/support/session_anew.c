/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Includes files of lib/session/ and lib/process/, and adds functions that reset them: a program
 * opens its session once, a test program many times. */
#include "tests/support/session_anew.h"

#include <unistd.h>

#include "lib/process/access_guard.c"
#include "lib/session/coalesce_launcher.c"
#include "lib/session/opener.h"
#include "lib/session/session_device.c"
#include "lib/session/session_open.c"

/* Closes the slots through which threads pass small products to the launcher, and resets their
 * counters.  Slots of products that were abandoned are free again. */
static void put_coalesce_down(struct coalesce *g) {
    struct coalesce_launcher *l = &g->launcher;
    /* waits, because a launcher that still empties its slots would open them again */
    while (atomic_load(&l->draining))
        usleep(1000);
    if (atomic_exchange(&l->way, COALESCE_CLOSED) == COALESCE_OPEN)
        close_context(l);
    if (l->executor) { /* the launcher may still look for work after it has cleared `draining` */
        pthread_mutex_lock(&l->mutex);
        l->sources = NULL;
        pthread_mutex_unlock(&l->mutex);
    }
    l->own.launched = 0;
    memset(l->load, 0, sizeof l->load);
    atomic_store(&g->abandoned, false);
    atomic_store(&g->slots.taken, 0);
    atomic_store(&g->slots.freed, atomic_load(&g->slots.tickets));
    atomic_store(&g->own_block.late, 0);
    atomic_store(&g->own_block.draining, 0);
    atomic_store(&g->suspended, 0);
}

static void put_device_down(struct session_device *d) {
    streams_allow(&d->streams, 1, open_stream, 0, 0);
    put_coalesce_down(&d->coalesce);
    for (int i = STREAMS_MOST; i-- > 0;) {
        struct stream *stream = &d->streams.stream[i];
        if (stream->context.dev.impl)
            opener_close(&stream->context);
        stream->state = i == 0 && stream->executor ? STREAM_FREE : STREAM_CLOSED;
    }
    atomic_store(&d->faults, 0);
    d->found = (struct gpu_device){.backend = NULL};
    atomic_store(&d->guard.is_closed, 0);
    atomic_store(&d->guard.is_done, 0);
}

void session_put_down(void) {
    for (unsigned i = session_devices_begun(); i-- > 0;) {
        put_device_down(&devices[i]);
        atomic_store(&devices[i].state, SESSION_CLOSED);
    }
    for (int i = 0; i <= SESSION_NONE; i++)
        atomic_store(&in_state[i], 0);
    atomic_store(&begun, 0);
    atomic_store(&any_is_closed, false);
}

/* Ends the old session, which an operation may have opened by itself. Then opens a new session. */
void session_anew(void) {
    static int again;
    session_init();
    if (session_devices_begun() > 0 || again) {
        session_calm();
        session_put_down();
        session_open_begin();
    }
    again = 1;
    session_wait();
}

static void calm(struct session_device *d) {
    for (int i = 0; i < STREAMS_MOST; i++)
        if (d->streams.stream[i].executor)
            executor_wait(d->streams.stream[i].executor, 0);
    while (atomic_load(&d->coalesce.launcher.draining))
        usleep(1000);
}

void session_calm(void) {
    for (unsigned i = 0; i < session_devices_begun(); i++)
        calm(&devices[i]);
}

bool session_way_failed(void) {
    return atomic_load(&devices[0].coalesce.launcher.way) == COALESCE_FAILED;
}

int session_faults(void) {
    int faults = 0;
    for (unsigned i = 0; i < session_devices_begun(); i++)
        faults += atomic_load(&devices[i].faults);
    return faults;
}

void session_forgive(int more) {
    for (unsigned i = 0; i < session_devices_begun(); i++)
        atomic_store(&devices[i].faults, -more);
}
