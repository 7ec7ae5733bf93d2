/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Shows a progress line on a terminal while the program waits for the device. If a signal handler
 * leaves this wait by longjmp, the line is shown until the device is open. */
#include "lib/session/start/progress.h"

#include <pthread.h>
#include <stdbool.h>

#include "gpu/gpu.h"
#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/process/event.h"
#include "lib/process/shutdown.h"
#include "lib/process/worker.h"
#include "lib/session/session_device.h"

static const int64_t patience_ns = INT64_C(2000000000), step_ns = INT64_C(250000000);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool is_wanted, is_shown; /* guarded by the mutex */
static struct event ended;
/* The wait ends when the counter `ended` has this value; guarded by the mutex. */
static unsigned end;

static void show_building_progress(double seconds) {
    struct gpu_builds_numbers n;
    gpu_builds_ask(&n);
    if (n.wanted > n.done)
        mpgpu_log_progress("building kernels for the device, once: %u of %u, %.0f s", n.done,
                           n.wanted, seconds);
    else
        mpgpu_log_progress("waiting for the device: %.0f s", seconds);
    is_shown = true;
}

/* Ends the wait that is under way, if there is one. The caller has locked the mutex. */
static void end_wait(void) {
    if (is_wanted)
        event_post(&ended);
    if (is_shown)
        mpgpu_log_progress("%s", "");
    is_wanted = is_shown = false;
}

/* Shows the progress of one wait. Leaves later waits, which have another `end`, to their own
 * threads. */
static void show_until_ended(void *unused) {
    int64_t start = event_clock(), step = patience_ns;
    (void)unused;
    pthread_mutex_lock(&mutex);
    const unsigned own_end = end;
    pthread_mutex_unlock(&mutex);
    while (!event_sleep(&ended, own_end, step) && session_devices_in(SESSION_OPENING) > 0 &&
           !shutdown_has_begun()) {
        pthread_mutex_lock(&mutex);
        if (is_wanted && end == own_end)
            show_building_progress(1e-9 * (double)(event_clock() - start));
        pthread_mutex_unlock(&mutex);
        step = step_ns;
    }
    pthread_mutex_lock(&mutex);
    if (end == own_end)
        end_wait();
    pthread_mutex_unlock(&mutex);
}

void progress_begin(void) {
    if (mpgpu_conf.open != OPEN_WAIT || !mpgpu_log_is_terminal())
        return;
    pthread_mutex_lock(&mutex);
    if (!is_wanted) {
        end = event_count(&ended) + 1;
        is_wanted = worker_start(show_until_ended, NULL);
    }
    pthread_mutex_unlock(&mutex);
}

void progress_end(void) {
    pthread_mutex_lock(&mutex);
    end_wait();
    pthread_mutex_unlock(&mutex);
}
