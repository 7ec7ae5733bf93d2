/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Manages the table of this process's devices, their states, and the handling of failures. */
#include "lib/session/session_device.h"

#include <pthread.h>
#include <stdio.h>

#include "lib/base/log.h"
#include "lib/base/process.h"
#include "lib/base/started.h"
#include "lib/memory/pinned.h"
#include "lib/memory/pool.h"
#include "lib/process/atexit_guard.h"
#include "lib/process/shutdown.h"
#include "lib/session/drain.h"
#include "lib/session/session_thresholds.h"
#include "lib/transfer/far.h"
#include "lib/transfer/transfer.h"

/* ---- streams whose job runs in the server, after the job's caller has abandoned it */

/* Returns true if the caller has abandoned the job of this stream and the device's process has
 * ended the job. */
static bool has_ended(struct stream *stream) {
    struct context *s = &stream->context;
    /* another thread may be opening this stream */
    if (!lease_is_over(&stream->lease) || !context_runs_jobs(s))
        return false;
    far_leave_job(s->far);
    enum gpu_status unused;
    return s->dev.backend->has_ended(s->dev.impl, &s->sent, &unused);
}

/* Makes the server end jobs that their callers have abandoned, and releases the streams of ended
 * jobs. Only one thread at a time may call this function, and only a thread that has acquired no
 * stream. */
static void streams_far_reap(struct session_device *d) {
    for (int i = 0; i < STREAMS_MOST; i++) {
        struct stream *stream = &d->streams.stream[i];
        if (has_ended(stream) && lease_reuse(&stream->lease)) {
            far_wipe(stream->context.far, FAR_ROOM);
            if (d->jobs[i].alone)
                session_device_let_all_go(d);
            else
                streams_release_one(&d->streams, stream, true);
        }
    }
}

enum { MOST_FAULTS = 3 };

static LARGE_ZERO struct session_device devices[SESSION_DEVICES];
/* begun: count of devices in the table; first: number of this process's first device, since lower
 * numbers belong to its parent */
static atomic_uint begun, first;
static atomic_int in_state[SESSION_NONE + 1]; /* count of devices in each state */

/* Guards changes of a device's state and of the line of text about it. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* True from the time at which the calling thread begins to exclude all other threads from the
 * devices. It is set early, because a signal handler may run during the exclusion. */
static _Thread_local bool has_acquired_all;

struct session_device *session_device(unsigned i) {
    return &devices[i];
}

unsigned session_devices_begun(void) {
    return atomic_load(&begun);
}

unsigned session_devices_first(void) {
    return atomic_load(&first);
}

int session_devices_in(enum session_state state) {
    return atomic_load(&in_state[state]);
}

/* ---- states */

static void change_device_state(struct session_device *d, enum session_state next) {
    enum session_state before = (enum session_state)atomic_load(&d->state);
    atomic_store(&d->state, next);
    atomic_fetch_add(&in_state[next], 1);
    if (before != SESSION_CLOSED)
        atomic_fetch_sub(&in_state[before], 1);
}

static bool is_open(const void *device) {
    return session_device_is_open(device);
}

static void count_launcher_fault(void *device) {
    session_device_fault(device);
}

static void stop_using_launcher_device(void *device, const char *why) {
    session_device_leave_alone(device, why);
}

static void abandon_launcher_device(void *device) {
    session_device_abandon(device);
}

static enum outcome end_failed_launch(void *device, struct context *s, enum gpu_status status) {
    return session_device_end_badly(device, s, status);
}

static void prepare_device(struct session_device *d, unsigned number) {
    static const struct coalesce_session session = {is_open, count_launcher_fault,
                                                    abandon_launcher_device,
                                                    stop_using_launcher_device, end_failed_launch};
    d->number = number;
    streams_prepare(&d->streams, d, streams_far_reap);
    for (int i = 0; i < STREAMS_MOST; i++) {
        d->streams.stream[i].context.number = number;
        d->streams.stream[i].lease.guard = &d->guard;
        d->streams.stream[i].context.lease = &d->streams.stream[i].lease;
    }
    struct coalesce_launcher *l = &d->coalesce.launcher;
    l->session = &session;
    l->device = d;
    l->first = session_device_first(d);
    l->lease.guard = &d->guard;
    l->context.lease = &l->lease;
}

struct session_device *session_device_begin(bool has_thread, struct stream **stream) {
    unsigned number = atomic_load(&begun);
    if (number == SESSION_DEVICES)
        return NULL;
    struct session_device *d = &devices[number];
    prepare_device(d, number);
    *stream = streams_begin(&d->streams, has_thread);
    if (!*stream)
        return NULL;
    pthread_mutex_lock(&mutex);
    snprintf(d->about, sizeof d->about, "being opened");
    change_device_state(d, SESSION_OPENING);
    atomic_store(&begun, number + 1);
    pthread_mutex_unlock(&mutex);
    return d;
}

/* If no usable device is left, sets all thresholds to never, so that GMP computes all calls. */
static void shut_without_any(void) {
    if (session_devices_in(SESSION_OPENING) + session_devices_in(SESSION_READY) > 0)
        return;
    session_thresholds_set_never();
    pool_shut();
}

void session_device_set(struct session_device *d, enum session_state next, const char *text) {
    pthread_mutex_lock(&mutex);
    if (atomic_load(&d->state) != SESSION_NONE) {
        snprintf(d->about, sizeof d->about, "%s", text);
        change_device_state(d, next);
    }
    shut_without_any();
    pthread_mutex_unlock(&mutex);
}

void session_device_describe(struct session_device *d, char *text, size_t size) {
    pthread_mutex_lock(&mutex);
    snprintf(text, size, "%s", d->about);
    pthread_mutex_unlock(&mutex);
}

enum session_state session_device_state(const struct session_device *d) {
    pthread_mutex_lock(&mutex);
    enum session_state state = (enum session_state)atomic_load(&d->state);
    pthread_mutex_unlock(&mutex);
    return state;
}

bool session_device_is_open(const struct session_device *d) {
    return !shutdown_has_begun() && atomic_load(&d->state) == SESSION_READY;
}

bool session_device_answers(struct session_device *d) {
    if (shutdown_has_begun() || !process_is_ours() || d->number < session_devices_first() ||
        session_device_is_here() || !session_device_first(d)->transfer)
        return false;
    return !access_guard_is_closed(&d->guard);
}

/* ---- failures */

void session_device_leave_alone(struct session_device *d, const char *why) {
    char text[sizeof d->about];
    snprintf(text, sizeof text, "left alone: %s", why);
    if (session_devices_begun() > 1)
        mpgpu_log(LOG_WARNING, "device %u is %s", d->number, text);
    else
        mpgpu_log(LOG_WARNING, "the device is %s", text);
    session_device_set(d, SESSION_NONE, text);
}

void session_device_close_guard(struct session_device *d) {
    if (session_devices_begun() > 1 && !access_guard_is_closed(&d->guard))
        pinned_forbid();
    access_guard_close(&d->guard);
    atexit_guard_forbid();
}

void session_device_abandon(struct session_device *d) {
    session_device_close_guard(d);
    session_device_leave_alone(d, "it does not answer");
}

void session_device_fault(struct session_device *d) {
    int count = atomic_fetch_add(&d->faults, 1) + 1;
    if (count == MOST_FAULTS)
        session_device_leave_alone(d, "too many faults");
    else
        mpgpu_log(LOG_WARNING, "fault %d of the device", count);
}

void session_device_count_there(struct context *s) {
    const uint32_t there = s->failed_there;
    s->failed_there = 0;
    for (unsigned i = 0; i < session_devices_begun() && there; i++)
        if (session_device_is_open(&devices[i]) &&
            (session_device_first(&devices[i])->dev.caps.jobs & there))
            session_device_fault(&devices[i]);
}

/* Waits for commands that a failed operation has queued. If they do not end, closes the device's
 * access guard (lib/process/access_guard.h). The buffers are then never reused, and the driver's
 * libraries are never unloaded. */
static bool drain_failed_operation(struct session_device *d, struct context *s) {
    bool ended =
        drain_work(s) || drain_work(s); /* tries twice, in case a single driver call fails */
    if (ended)
        transfer_release(s->transfer);
    else
        session_device_close_guard(d);
    return ended;
}

/* Stops using a device whose commands do not end. The message includes the driver's error text,
 * from which the reader may see that mpgpu-serve has ended. */
static void leave_undrained(struct session_device *d) {
    char why[sizeof d->about];
    const char *detail = gpu_error_text();
    snprintf(why, sizeof why, "it does not come to an end%s%s", *detail ? ": " : "", detail);
    session_device_leave_alone(d, why);
}

/* Counts a fault of the device. If the operation is a job of another process, only reports the
 * fault to that process, because its operands may have caused it. */
static void count_device_fault(struct session_device *d, const struct context *s) {
    if (far_here())
        atomic_fetch_or(&far_here()->failed, (uint32_t)1 << d->number);
    else if (!s->failed_there)
        session_device_fault(d);
}

/* While the program is ending, a failure does not count as a fault, because gpu/ then refuses to
 * build kernels. */
enum outcome session_device_end_badly(struct session_device *d, struct context *s,
                                      enum gpu_status status) {
    if (shutdown_has_begun()) {
        drain_failed_operation(d, s);
        return OUTCOME_NONE;
    }
    bool is_fault = status != GPU_NOMEM && status != GPU_LEFT;
    int level = is_fault && !far_here() ? LOG_WARNING : LOG_INFO;
    mpgpu_log(level, "operation not done: %s: %s", gpu_status_text(status),
              status == GPU_LEFT ? "" : gpu_error_text());
    bool ended = drain_failed_operation(d, s);
    if (is_fault)
        count_device_fault(d, s);
    if (s->failed)
        session_device_leave_alone(d, "it failed a known-answer test");
    else if (!ended)
        leave_undrained(d);
    else if (status == GPU_NOMEM)
        context_trim(s);
    return status == GPU_NOMEM ? OUTCOME_MEMORY : OUTCOME_FAILED;
}

/* ---- exclusive use */

bool session_device_is_here(void) {
    return has_acquired_all || streams_are_acquired() || executor_is_here();
}

/* Excludes other threads from the device: acquires all streams, then stops small products. Small
 * products continue until all streams are acquired. Returns false if event_clock reaches `end`
 * before that. */
static bool pause_and_acquire(struct session_device *d, int64_t end) {
    if (!streams_acquire_all(&d->streams, end))
        return false;
    if (coalesce_pause(&d->coalesce, end))
        return true;
    streams_release_all(&d->streams);
    return false;
}

void session_device_let_all_go(struct session_device *d) {
    coalesce_resume(&d->coalesce);
    streams_release_all(&d->streams);
}

bool session_device_acquire_all(struct session_device *d, int seconds) {
    has_acquired_all = true;
    has_acquired_all = pause_and_acquire(d, event_clock() + event_nanoseconds(seconds));
    return has_acquired_all;
}

void session_device_release_all(struct session_device *d) {
    session_device_let_all_go(d);
    has_acquired_all = false;
}

void session_device_set_held(bool is_held) {
    has_acquired_all = is_held;
}

/* the calling thread has acquired all devices with lower numbers than this */
static THREAD_MEMORY unsigned all_held;

bool session_devices_acquire_all(int seconds) {
    const int64_t end = event_clock() + event_nanoseconds(seconds);
    unsigned count = session_devices_begun(), *held = THREAD_MEMORY_GET(all_held);
    if (!held)
        return false;
    has_acquired_all = true;
    for (*held = session_devices_first(); *held < count; ++*held)
        if (!pause_and_acquire(&devices[*held], end)) {
            session_devices_release_all();
            return false;
        }
    return true;
}

void session_devices_release_all(void) {
    unsigned *held = THREAD_MEMORY_FIND(all_held);
    while (held && *held > session_devices_first())
        session_device_let_all_go(&devices[--*held]);
    has_acquired_all = false;
}

/* Runs in a child of fork, for a device that the parent had not begun to open. Forgets the threads
 * of the device's streams, which do not exist in the child. */
static void forget_threads(struct session_device *d) {
    for (int i = 0; i < STREAMS_MOST; i++) {
        d->streams.stream[i].executor = NULL;
        d->streams.stream[i].state = STREAM_CLOSED;
    }
}

/* Makes a device of the parent unusable in a child of fork, because threads that do not exist in
 * the child may have locked its mutexes. */
static void forget_device_of_parent(struct session_device *d) {
    atomic_store(&d->state, SESSION_NONE);
    streams_forget(&d->streams);
}

void session_devices_renew(void) {
    pthread_mutex_init(&mutex, NULL);
    for (unsigned i = session_devices_first(); i < session_devices_begun(); i++)
        forget_device_of_parent(&devices[i]);
    for (unsigned i = session_devices_begun(); i < SESSION_DEVICES; i++)
        forget_threads(&devices[i]);
    for (int state = 0; state <= SESSION_NONE; state++)
        atomic_store(&in_state[state], 0);
    atomic_store(&first, session_devices_begun());
    streams_set_acquired(false);
    has_acquired_all = false;
}
