/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The device of this process: its state, from the first question to its end. */
#include "lib/session/session.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/process.h"
#include "lib/base/profile_cost.h"
#include "lib/base/stats.h"
#include "lib/base/syscall_filter.h"
#include "lib/base/thresholds.h"
#include "lib/dispatch/dispatch.h"
#include "lib/memory/pool.h"
#include "lib/memory/reclaim.h"
#include "lib/process/atexit_guard.h"
#include "lib/process/gate.h"
#include "lib/process/interrupted.h"
#include "lib/process/shutdown.h"
#include "lib/process/signal_guard.h"
#include "lib/process/surroundings.h"
#include "lib/session/gather.h"
#include "lib/session/opener.h"
#include "lib/session/session_state.h"
#include "lib/session/streams.h"

enum { MOST_FAULTS = 3, USUAL_STREAMS = 4, HOLD_SECONDS = 60 };

/* CLOSED, then OPENING, then READY or NONE; READY may become NONE, which is the end. */
enum { CLOSED, OPENING, READY, NONE };

/* How long a stream's thread spins for its next job, and a thread of the program for a free stream
 * and for its answer, before it sleeps: waking takes 20 to 50 us. */
static const double spin_job_seconds = 100e-6, spin_answer_seconds = 1e-3;

static atomic_int state = CLOSED;
static bool opens_any; /* devices whatever their thresholds */
static bool is_never;  /* no device that may be here would be sent anything */
static atomic_int faults;

static const char useless[] = "no GPU, and for a CPU all thresholds are `never`";

/* Guards changes of state, and the text. */
static pthread_mutex_t state_mutex = PTHREAD_MUTEX_INITIALIZER;
static char about[512] = "not opened"; /* the device, or why there is none */

/* The caller keeps all others out, or is about to.  A handler of a signal may come in between. */
static _Thread_local bool is_holding;

/* Is the caller at work on the device itself? */
static bool holds(void) {
    return is_holding || streams_are_acquired() || executor_is_here();
}

static void set_thresholds(const struct profile *p) {
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        thresholds_set(i, profile_limbs(p, i));
}

/* There is no device, and none to come: calls need not ask, unless they are counted. */
static void set_thresholds_never(void) {
    if (mpgpu_conf.stats != STATS_OFF)
        return;
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        thresholds_set(i, MPGPU_NEVER);
}

static bool is_backend_none(void) {
    return strcmp(mpgpu_conf.backend, "none") == 0;
}

void session_open_any(void) {
    opens_any = 1;
}

/* A device that is asked for by its name, or for measurements, is opened whatever its thresholds.
 */
static bool is_asked_for(void) {
    return opens_any || conf_names_device();
}

static bool is_useless(void) {
    return is_never && !is_asked_for();
}

static void set_smallest(bool cpus_alone) {
    struct profile least;
    profile_smallest(cpus_alone, &least);
    set_thresholds(&least);
    is_never = profile_is_never(&least);
}

static void init_once(void) {
    process_begin();
    conf_init();
    profile_load();
    set_smallest(false);
    if (is_backend_none())
        set_thresholds_never();
}

static void look_once(void) {
    if (!is_backend_none() && (syscall_filter_is_first() || !gpu_may_exist()))
        set_smallest(true);
}

void session_look(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static atomic_bool has_looked;
    struct signal_guard guard;
    if (atomic_load(&has_looked))
        return;
    session_init();
    signal_guard_begin(&guard);
    pthread_once(&once, look_once);
    signal_guard_end(&guard);
    atomic_store(&has_looked, true);
}

void session_init(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_once);
}

static void set_state(int next, const char *text) {
    pthread_mutex_lock(&state_mutex);
    if (atomic_load(&state) != NONE) {
        snprintf(about, sizeof about, "%s", text);
        atomic_store(&state, next);
    }
    if (atomic_load(&state) == NONE) {
        set_thresholds_never();
        pool_shut();
    }
    pthread_mutex_unlock(&state_mutex);
}

/* In the thread of a further stream.  A failure here is no fault, unless an answer was wrong. */
static void open_stream(void *argument) {
    struct stream *stream = argument;
    char text[sizeof about] = "the program is ending";
    double start = stats_clock();
    bool failed_test = false;
    enum gpu_status status = GPU_FAILED;
    if (session_is_open())
        status = opener_open_stream(&streams_get(0)->context, &stream->context, &failed_test, text,
                                    sizeof text);
    mpgpu_log(LOG_INFO, "another lane: %s (%.2f s)", text, stats_clock() - start);
    if (failed_test)
        session_leave_alone("it failed a known-answer test");
    streams_release_one(stream, status == GPU_OK);
}

/* On a CPU a second stream takes turns with the first, and so would a thread that spins. */
static void allow_streams(const struct gpu_caps *caps) {
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    bool spins = !caps->is_cpu && cpus >= 2;
    int spinners = !spins ? 0 : cpus < 8 ? 1 : (int)(cpus * 3 / 4);
    int most = mpgpu_conf.lanes == 0 ? (caps->is_cpu ? 1 : USUAL_STREAMS) : mpgpu_conf.lanes;
    executor_set_spin(spins ? spin_job_seconds : 0, spins ? spin_answer_seconds : 0);
    streams_allow(most, open_stream, spinners, spin_answer_seconds);
}

/* Small products go on until the streams are there. */
static bool hold_all(int seconds) {
    if (!streams_acquire_all(seconds))
        return false;
    if (gather_hold(seconds))
        return true;
    streams_release_all();
    return false;
}

bool session_acquire_all(int seconds) {
    is_holding = true;
    is_holding = hold_all(seconds);
    return is_holding;
}

void session_release_all(void) {
    gather_go_on();
    streams_release_all();
    is_holding = false;
}

/* The first job of the first stream. */
static void open_device(void *argument) {
    struct stream *stream = argument;
    char text[sizeof about] = "the program is ending";
    double start = stats_clock();
    enum gpu_status status = shutdown_has_begun()
                                 ? GPU_FAILED
                                 : opener_open(&stream->context, is_asked_for(), text, sizeof text);
    if (status == GPU_OK) {
        struct context *s = &stream->context;
        if (mpgpu_conf.confirm)
            profile_print(&s->profile, mpgpu_say);
        set_thresholds(&s->profile);
        dispatch_use_profile(&s->profile, profile_gmp_ns);
        allow_streams(&s->dev.caps);
        gather_prepare();
        reclaim_set_unlock(session_unlock_segment);
        pool_open();
    }
    mpgpu_log(LOG_INFO, "%s (%.2f s)", text, stats_clock() - start);
    set_state(status == GPU_OK ? READY : NONE, text);
    streams_release_one(stream, true);
}

static void open_none(const char *why) {
    snprintf(about, sizeof about, "none: %s", why);
    atomic_store(&state, NONE);
    set_thresholds_never();
}

/* From CLOSED on, once.  Called with state_mutex held. */
static void start_opening(void) {
    const char *reason = is_useless() ? useless : surroundings_forbid();
    if (reason) {
        open_none(reason);
        return;
    }
    pool_prepare(); /* before fork asks for that, no stream is acquired */
    shutdown_prepare(session_acquire_all, session_release_all, holds);
    struct stream *stream = streams_begin();
    if (!stream) {
        open_none("no thread to open a device in");
        return;
    }
    snprintf(about, sizeof about, "being opened");
    atomic_store(&state, OPENING);
    executor_post(stream->executor, open_device, stream);
}

/* What stands against the device now; starts the opening, but in a handler of a signal. */
static enum outcome current(void) {
    if (shutdown_is_in_child())
        return OUTCOME_FORKED;
    if (holds() || shutdown_has_begun())
        return OUTCOME_NONE;
    int now = atomic_load(&state);
    if (now == CLOSED && interrupted())
        return OUTCOME_OPENING;
    if (now == CLOSED) {
        session_look();
        if (is_backend_none())
            return OUTCOME_NONE;
        pthread_mutex_lock(&state_mutex);
        if (atomic_load(&state) == CLOSED)
            start_opening();
        now = atomic_load(&state);
        pthread_mutex_unlock(&state_mutex);
    }
    return now == READY ? OUTCOME_DONE : now == OPENING ? OUTCOME_OPENING : OUTCOME_NONE;
}

void session_leave_alone(const char *why) {
    char text[sizeof about];
    snprintf(text, sizeof text, "left alone: %s", why);
    mpgpu_log(LOG_WARNING, "the device is %s", text);
    set_state(NONE, text);
}

void session_abandon(void) {
    gate_shut();
    atexit_guard_forbid();
    session_leave_alone("it does not answer");
}

static enum outcome wait_for_device(void) {
    enum outcome outcome = current();
    if (outcome != OUTCOME_OPENING || interrupted())
        return outcome;
    if (!executor_wait(streams_get(0)->executor, mpgpu_conf.watchdog))
        session_abandon();
    return current();
}

enum outcome session_question(void) {
    enum outcome outcome = current();
    return outcome == OUTCOME_OPENING && mpgpu_conf.open == OPEN_WAIT ? wait_for_device() : outcome;
}

static enum outcome guarded(enum outcome (*ask)(void)) {
    struct signal_guard before;
    signal_guard_begin(&before);
    enum outcome outcome = ask();
    signal_guard_end(&before);
    return outcome;
}

enum outcome session_ready(void) {
    return guarded(session_question);
}

enum outcome session_wait(void) {
    return guarded(wait_for_device);
}

bool session_is_open(void) {
    return !shutdown_has_begun() && atomic_load(&state) == READY;
}

bool session_answers(void) {
    if (shutdown_has_begun() || shutdown_is_in_child() || holds() ||
        !streams_get(0)->context.queue.impl)
        return false;
    int answers = gate_enter();
    if (answers)
        gate_leave();
    return answers;
}

void session_fault(void) {
    int count = atomic_fetch_add(&faults, 1) + 1;
    if (count == MOST_FAULTS)
        session_leave_alone("too many faults");
    else
        mpgpu_log(LOG_WARNING, "fault %d of the device", count);
}

enum outcome session_profile(struct gpu_device *dev, struct profile *p) {
    enum outcome outcome = session_ready();
    if (outcome == OUTCOME_DONE) { /* they stay what they are from then on */
        *dev = streams_get(0)->context.dev;
        *p = streams_get(0)->context.profile;
    }
    return outcome;
}

void session_use_profile(const struct profile *p) {
    bool held = session_acquire_all(HOLD_SECONDS);
    for (int i = 0; i < STREAMS_MOST; i++)
        streams_get(i)->context.profile = *p;
    set_thresholds(p);
    if (held)
        session_release_all();
}

void session_describe(char *text, size_t size) {
    if (shutdown_is_in_child()) {
        snprintf(text, size, "none in a child of fork");
        return;
    }
    session_look();
    pthread_mutex_lock(&state_mutex);
    if (atomic_load(&state) != CLOSED)
        snprintf(text, size, "%s", about);
    else if (is_backend_none())
        snprintf(text, size, "backend:none");
    else
        snprintf(text, size, "%s%s", is_useless() ? "none: " : "", is_useless() ? useless : about);
    pthread_mutex_unlock(&state_mutex);
}
