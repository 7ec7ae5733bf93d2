/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory that no block has used for some seconds goes back, and when the system is short of
 * memory, at once.  The thread sleeps while no segment is free. */
#include "config.h"

#include "lib/memory/reclaim.h"

#include <stdatomic.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "lib/base/log.h"
#include "lib/memory/pinned.h"
#include "lib/memory/pressure.h"
#include "lib/memory/segments.h"
#include "lib/session/session.h"
#include "lib/process/worker.h"

enum { IDLE_SECONDS = 10, LOOK_SECONDS = 1 };

/* In the thread that calls the device. */
static int unpin(struct context *s, void *segment) {
    pinned_release(&s->dev, *(size_t *)segment);
    return GPU_OK;
}

/* What a device has locked that is no longer to be asked stays. */
static int is_ours_again(size_t segment) {
    return !segment_pinned(segment) ||
           session_run(unpin, &segment, sizeof segment, SEGMENT_BYTES) == OUTCOME_DONE;
}

void reclaim_purge(double seconds) {
    size_t segment;
    while (segment_retire(seconds, &segment)) {
        if (!is_ours_again(segment)) {
            segment_restore(segment);
            return;
        }
        segment_return(segment);
        mpgpu_log(LOG_DETAIL, "segment %zu of the pool goes back", segment);
    }
}

static void thread_main(void *unused) {
    (void)unused;
    for (;;) {
        segments_wait_for_idle();
        sleep(LOOK_SECONDS);
        reclaim_purge(pressure_is_high(0) ? 0 : IDLE_SECONDS);
    }
}

void reclaim_start(void) {
    static atomic_int started;
    if (!atomic_exchange(&started, 1) && !worker_start(thread_main, NULL))
        mpgpu_log(LOG_INFO, "no thread to return idle memory");
}
