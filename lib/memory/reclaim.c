/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A thread that returns segments of the pool (the library's host memory for results) to the system.
 * It returns a segment when no block has used it for some seconds, or at once if memory is short.
 * The thread sleeps while every segment is in use. */
#include "config.h"

#include "lib/memory/reclaim.h"

#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/log.h"
#include "lib/memory/pressure.h"
#include "lib/memory/segments.h"
#include "lib/process/lease.h"
#include "lib/process/worker.h"

enum { IDLE_SECONDS = 10, LOOK_SECONDS = 1 };

static bool (*_Atomic unlock)(size_t segment);

void reclaim_set_unlock(bool (*function)(size_t segment)) {
    atomic_store(&unlock, function);
}

/* Unlocks a segment if it is page-locked. Returns false if that fails, or if a signal
 * handler has interrupted or left a job: the device may then still read the job's operands. */
static bool is_unlocked(size_t segment) {
    if (lease_any_is_suspended())
        return false;
    bool (*function)(size_t) = atomic_load(&unlock);
    return !segments_pinned(segment) || (function && function(segment));
}

void reclaim_purge(double seconds) {
    size_t segment;
    while (segments_retire(seconds, &segment)) {
        if (!is_unlocked(segment)) {
            segments_restore(segment);
            return;
        }
        segments_return(segment);
        mpgpu_log(LOG_DETAIL, "segment %zu of the pool is returned to the system", segment);
    }
}

static void thread_main(void *unused) {
    (void)unused;
    for (;;) {
        segments_wait_for_idle();
        nanosleep(&(struct timespec){.tv_sec = LOOK_SECONDS}, NULL);
        reclaim_purge(pressure_is_high(0) ? 0 : IDLE_SECONDS);
    }
}

void reclaim_start(void) {
    static atomic_int started;
    if (!atomic_exchange(&started, 1) && !worker_start(thread_main, NULL))
        mpgpu_log(LOG_INFO, "no thread to return idle memory");
}
