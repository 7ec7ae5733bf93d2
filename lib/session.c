/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The device of this process: its state, and who may use it when. */
#include "session.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf.h"
#include "executor.h"
#include "gate.h"
#include "leaving.h"
#include "log.h"
#include "manners.h"
#include "opener.h"
#include "pool.h"
#include "stats.h"
#include "transfer.h"

enum { MOST_FAULTS = 3 };

/* CLOSED, then OPENING, then READY or NONE; READY may become NONE, which is the end. */
enum { CLOSED, OPENING, READY, NONE };

/* Bytes a second that the slowest device in use is sure to manage, a CPU or another. */
static const double slowest_cpu = 5e6, slowest = 1e8;

/* For how long a thread looks out for the device's answer, or for more to do. */
static const double watch_seconds = 100e-6;

struct session_thresholds session_thresholds;

static struct session session;
static atomic_int state = CLOSED;
static atomic_int faults;

/* Guards changes of state, and the text. */
static pthread_mutex_t state_mutex = PTHREAD_MUTEX_INITIALIZER;
static char about[512] = "not opened"; /* the device, or why there is none */

/* Held by whoever has the device at work, and while it is opened. */
static pthread_mutex_t operation = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int holds_operation;

static int holds(void) {
    return holds_operation || executor_is_here();
}

static void set_thresholds(const struct profile *p) {
#define THRESHOLD(name, kind, of, initial, what)                                                   \
    atomic_store(&session_thresholds.name, profile_limbs(p, PROFILE_##name));
#include "profile.def"
#undef THRESHOLD
}

/* There is no device, and none to come: calls need not ask, unless they are counted. */
static void set_thresholds_never(void) {
    if (mpgpu_conf.stats != STATS_OFF)
        return;
#define THRESHOLD(name, kind, of, initial, what)                                                   \
    atomic_store(&session_thresholds.name, MPGPU_NEVER);
#include "profile.def"
#undef THRESHOLD
}

static int is_backend_none(void) {
    return strcmp(mpgpu_conf.backend, "none") == 0;
}

static void init_once(void) {
    struct profile least;
    mpgpu_conf_init();
    profile_load();
    profile_smallest(&least);
    set_thresholds(&least);
    if (is_backend_none())
        set_thresholds_never();
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

/* Watching takes a CPU from a device that is one. */
static void set_watch(const struct gpu_caps *caps) {
    executor_watch(caps->is_cpu || sysconf(_SC_NPROCESSORS_ONLN) < 2 ? 0 : watch_seconds);
}

/* The first that the executor does. */
static void open_device(void *unused) {
    (void)unused;
    char text[sizeof about] = "the program is ending";
    double start = stats_clock();
    pthread_mutex_lock(&operation);
    holds_operation = 1;
    int status = leaving_now() ? GPU_FAILED : opener_open(&session, text, sizeof text);
    if (status == GPU_OK) {
        profile_choose(session.dev.backend->name, &session.dev.caps, &session.profile);
        if (mpgpu_conf.confirm)
            profile_print(&session.profile, mpgpu_say);
        set_thresholds(&session.profile);
        set_watch(&session.dev.caps);
        pool_open();
    }
    mpgpu_log(LOG_INFO, "%s (%.2f s)", text, stats_clock() - start);
    set_state(status == GPU_OK ? READY : NONE, text);
    holds_operation = 0;
    pthread_mutex_unlock(&operation);
}

/* From CLOSED on, once.  Called with state_mutex held. */
static void start_opening(void) {
    pool_prepare(); /* before fork asks for that, `operation` is free */
    leaving_prepare(&operation, holds);
    if (!executor_start()) {
        snprintf(about, sizeof about, "no thread to open a device in");
        atomic_store(&state, NONE);
        return;
    }
    snprintf(about, sizeof about, "being opened");
    atomic_store(&state, OPENING);
    executor_post(open_device, NULL);
}

/* What stands against the device now; starts the opening. */
static enum mpgpu_why current(void) {
    if (leaving_in_child())
        return WHY_FORKED;
    if (holds() || leaving_now())
        return WHY_NONE;
    int now = atomic_load(&state);
    if (now == CLOSED) {
        session_init();
        if (is_backend_none())
            return WHY_NONE;
        pthread_mutex_lock(&state_mutex);
        if (atomic_load(&state) == CLOSED)
            start_opening();
        now = atomic_load(&state);
        pthread_mutex_unlock(&state_mutex);
    }
    return now == READY ? WHY_DONE : now == OPENING ? WHY_OPENING : WHY_NONE;
}

static void leave_alone(const char *why) {
    char text[sizeof about];
    snprintf(text, sizeof text, "left alone: %s", why);
    mpgpu_log(LOG_WARNING, "the device is %s", text);
    set_state(NONE, text);
}

/* The executor has not come back in time, and may never; no memory of the program's is
 * touched from here on should it come back nevertheless. */
static void abandon(void) {
    gate_shut();
    leave_alone("it does not answer");
}

static enum mpgpu_why wait_for_device(void) {
    enum mpgpu_why why = current();
    if (why != WHY_OPENING)
        return why;
    if (!executor_wait(mpgpu_conf.watchdog))
        abandon();
    return current();
}

/* With open:wait only a device that is there, or none. */
static enum mpgpu_why ready(void) {
    enum mpgpu_why why = current();
    return why == WHY_OPENING && mpgpu_conf.open == OPEN_WAIT ? wait_for_device() : why;
}

static enum mpgpu_why politely(enum mpgpu_why (*ask)(void)) {
    struct manners before;
    manners_begin(&before);
    enum mpgpu_why why = ask();
    manners_end(&before);
    return why;
}

enum mpgpu_why session_ready(void) {
    return politely(ready);
}

enum mpgpu_why session_wait(void) {
    return politely(wait_for_device);
}

/* The lock, if the device is still there then. */
static enum mpgpu_why take_device(void) {
    enum mpgpu_why why = ready();
    if (why != WHY_DONE)
        return why;
    pthread_mutex_lock(&operation);
    if (leaving_now() || atomic_load(&state) != READY) {
        pthread_mutex_unlock(&operation);
        return WHY_NONE;
    }
    holds_operation = 1;
    return WHY_DONE;
}

static void release_device(void) {
    holds_operation = 0;
    pthread_mutex_unlock(&operation);
}

void session_fault(void) {
    int count = atomic_fetch_add(&faults, 1) + 1;
    if (count == MOST_FAULTS)
        leave_alone("too many faults");
    else
        mpgpu_log(LOG_WARNING, "fault %d of the device", count);
}

/* After an operation that failed.  What it has started uses buffers of ours; if it
 * cannot be waited for, they are not to be used again. */
static enum mpgpu_why end_badly(struct session *s, int status) {
    int level = status == GPU_NOMEM ? LOG_INFO : LOG_WARNING;
    mpgpu_log(level, "operation not done: %s: %s", gpu_status_text(status), gpu_error_text());
    int finished = gpu_finish(&s->queue);
    transfer_settle(s->transfer);
    if (finished == GPU_OK)
        transfer_end_loans(s->transfer);
    else
        gate_shut();
    if (status != GPU_NOMEM)
        session_fault();
    if (s->unfit)
        leave_alone("it failed a known-answer test");
    else if (finished != GPU_OK)
        leave_alone("it does not come to an end");
    else if (status == GPU_NOMEM)
        session_trim(s);
    return status == GPU_NOMEM ? WHY_MEMORY : WHY_FAILED;
}

/* What is given to the executor: it stays where it is if that does not come back. */
struct order {
    int (*work)(struct session *s, void *context);
    enum mpgpu_why why;
    struct stats_times times;
    max_align_t context[];
};

/* In the executor.  A failure while the program is ending is one by our own doing: a
 * build was refused. */
static void carry_out(void *argument) {
    struct order *order = argument;
    int status = order->work(&session, order->context);
    order->why = status == GPU_OK ? WHY_DONE
                 : leaving_now()  ? WHY_NONE
                                  : end_badly(&session, status);
    order->times = stats_times;
    stats_times = (struct stats_times){0, 0, 0};
}

static double limit(size_t bytes) {
    double rate = session.dev.caps.is_cpu ? slowest_cpu : slowest;
    return mpgpu_conf.watchdog == 0 ? 0 : mpgpu_conf.watchdog + (double)bytes / rate;
}

static enum mpgpu_why give(struct order *order, void *context, size_t size, size_t bytes) {
    enum mpgpu_why why = take_device();
    if (why == WHY_DONE) {
        executor_post(carry_out, order);
        if (!executor_wait(limit(bytes))) {
            abandon();
            release_device();
            return WHY_FAILED;
        }
        release_device();
        why = order->why;
        stats_add(&order->times);
        memcpy(context, order->context, size);
    }
    free(order);
    return why;
}

enum mpgpu_why session_run(int (*work)(struct session *s, void *context), void *context,
                           size_t size, size_t bytes) {
    struct order *order = malloc(sizeof *order + size);
    if (!order)
        return WHY_MEMORY;
    struct manners before;
    manners_begin(&before);
    order->work = work;
    memcpy(order->context, context, size);
    enum mpgpu_why why = give(order, context, size, bytes);
    manners_end(&before);
    return why;
}

enum mpgpu_why session_profile(struct gpu_device *dev, struct profile *p) {
    enum mpgpu_why why = session_ready();
    if (why == WHY_DONE) { /* they stay what they are from then on */
        *dev = session.dev;
        *p = session.profile;
    }
    return why;
}

void session_use_profile(const struct profile *p) {
    pthread_mutex_lock(&operation);
    session.profile = *p;
    set_thresholds(p);
    pthread_mutex_unlock(&operation);
}

void session_describe(char *text, size_t size) {
    if (leaving_in_child()) {
        snprintf(text, size, "none in a child of fork");
        return;
    }
    pthread_mutex_lock(&state_mutex);
    int none = is_backend_none() && atomic_load(&state) == CLOSED;
    snprintf(text, size, "%s", none ? "backend:none" : about);
    pthread_mutex_unlock(&state_mutex);
}
