/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Manages the devices of this process, from the first call that may use a device to the process's
 * exit. */
#define _GNU_SOURCE 1 /* sched_getaffinity */
#include "lib/session/session.h"

#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/base/at_fork.h"
#include "lib/base/conf.h"
#include "lib/base/process.h"
#include "lib/base/syscall_filter.h"
#include "lib/dispatch/dispatch.h"
#include "lib/memory/pool.h"
#include "lib/memory/reclaim.h"
#include "lib/process/interrupted.h"
#include "lib/process/shutdown.h"
#include "lib/process/signal_guard.h"
#include "lib/process/surroundings.h"
#include "lib/session/start/progress.h"
#include "lib/session/start/contact.h"
#include "lib/session/session_child.h"
#include "lib/session/session_choose.h"
#include "lib/session/session_open.h"
#include "lib/session/session_question.h"
#include "lib/session/session_run.h"
#include "lib/session/session_thresholds.h"
#include "lib/session/start/starting.h"

enum { HOLD_SECONDS = 60 };

/* A call waits for a running server only if GMP is estimated to need at least this time. The
 * estimate is low: GMP really needs at least six times as long. A server on an idle machine answers
 * in 1.3 ms. */
enum { LEAST_TO_WAIT_NS = 3000000 };

static atomic_bool is_begun;        /* opening devices has begun, or it was decided to open none */
static const char *_Atomic is_none; /* why */
static pthread_mutex_t begin_mutex = PTHREAD_MUTEX_INITIALIZER;
/* Why this process uses no device, whichever one this machine has: for example, all thresholds are
 * `never`. NULL if a device may be used. */
static const char *is_never;

static const char all_never[] = "no GPU, and for a CPU all thresholds are `never`";
static const char not_built[] = "no GPU, and no kernels for the CPU are built (mpgpu-info --build)";
static const char one_cpu[] = "no GPU, and one CPU alone";

void session_say_missing(void) {
    session_open_set_says_missing();
}

void session_open_any(void) {
    session_open_set_any();
    starting_forbid();
}

static bool is_never_usable(void) {
    return is_never && !session_open_is_asked_for();
}

static void set_smallest(bool cpus_alone) {
    struct profile least;
    profile_smallest(cpus_alone, &least);
    session_thresholds_set(&least);
    is_never = profile_is_never(&least) ? all_never : NULL;
}

/* Returns NULL if a CPU may be used as a device, otherwise the reason why not. The built-in
 * thresholds of CPUs need two or more CPUs. */
static const char *never_on_cpu(void) {
    cpu_set_t cpus;
    if (session_open_may_build())
        return NULL;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) < 2)
        return one_cpu;
    return gpu_cpu_is_built() ? NULL : not_built;
}

static void check_for_cpu_device(void) {
    set_smallest(true);
    if (!is_never && (is_never = never_on_cpu()))
        session_thresholds_set_never();
}

/* Runs in a child of fork. The child uses no device if its parent had begun to open devices, or if
 * another thread was inside `begin` during the fork and so left the mutex locked. */
static void renew_in_child(void) {
    bool is_between = pthread_mutex_trylock(&begin_mutex) != 0;
    pthread_mutex_init(&begin_mutex, NULL);
    if (is_between || atomic_load(&is_begun))
        shutdown_set_in_child();
}

/* Initialises the session once. Registers the fork handler before any device is opened, because a
 * fork in progress does not call handlers that are registered later. */
static void init_once(void) {
    process_begin();
    pool_prepare();
    at_fork(NULL, NULL, renew_in_child);
    conf_init();
    gpu_set_cache_dir(mpgpu_conf.cache);
    if (mpgpu_conf.server == SERVER_PRIVATE)
        gpu_served_be_private();
    profile_load();
    set_smallest(false);
    if (conf_is_backend_none())
        session_thresholds_set_never();
}

static void check_for_devices_once(void) {
    if (!conf_is_backend_none() && (syscall_filter_is_first() || !gpu_may_exist()))
        check_for_cpu_device();
}

void session_look(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static atomic_bool has_looked;
    struct signal_guard guard;
    if (atomic_load(&has_looked))
        return;
    session_init();
    signal_guard_begin(&guard);
    pthread_once(&once, check_for_devices_once);
    signal_guard_end(&guard);
    atomic_store(&has_looked, true);
}

void session_init(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_once);
}

static void open_none(const char *why) {
    atomic_store(&is_none, why);
    session_thresholds_set_never();
}

/* Waits at most `seconds` until all devices are idle, and excludes other threads from them. Does
 * not wait in a signal handler that has interrupted a job of this thread, because that job cannot
 * end. */
static bool acquire_all(int seconds) {
    session_run_leave(); /* drops this thread's job if a signal handler has left it by longjmp */
    bool is_in_vain = session_run_is_suspended() && !shutdown_has_begun();
    return session_devices_acquire_all(is_in_vain ? 0 : seconds);
}

static void open_first(void) {
    if (!session_open_begin())
        open_none("no thread to open a device in");
}

/* Starts opening the devices. Call it once, with begin_mutex locked. */
static void start_opening(void) {
    const char *reason = is_never_usable() ? is_never : surroundings_forbid();
    if (reason) {
        open_none(reason);
        return;
    }
    shutdown_prepare(acquire_all, session_devices_release_all, session_device_is_here,
                     session_child_renew);
    reclaim_set_unlock(session_unlock_segment);
    if (!starting_begin(open_first, session_open_may_build()))
        open_first();
}

void session_expect_filter(void) {
    syscall_filter_expect();
    session_look();
    pthread_mutex_lock(&begin_mutex);
    const char *reason = atomic_load(&is_begun) ? NULL : surroundings_forbid();
    if (reason) {
        open_none(reason);
        atomic_store(&is_begun, true);
    }
    pthread_mutex_unlock(&begin_mutex);
}

unsigned session_adopt(const struct gpu_device *dev, unsigned count) {
    unsigned begun = 0;
    pthread_mutex_lock(&begin_mutex);
    session_open_set_any();
    contact_allow();
    shutdown_prepare(acquire_all, session_devices_release_all, session_device_is_here,
                     session_child_renew);
    while (begun < count && session_open_adopted(&dev[begun]))
        begun++;
    atomic_store(&is_begun, true);
    pthread_mutex_unlock(&begin_mutex);
    return begun;
}

static enum outcome begin_opening_devices(void) {
    if (!contact_is_allowed() || interrupted())
        return OUTCOME_OPENING;
    session_look();
    if (conf_is_backend_none())
        return OUTCOME_NONE;
    pthread_mutex_lock(&begin_mutex);
    if (!atomic_load(&is_begun))
        start_opening();
    atomic_store(&is_begun, true);
    pthread_mutex_unlock(&begin_mutex);
    return OUTCOME_DONE;
}

/* Returns true while devices are being opened. If no thread could be started to open them, first
 * does a step of opening here, in a call of the program. */
static bool are_opening(void) {
    if (starting_is_under_way() && !interrupted())
        starting_step();
    return starting_is_under_way() || session_devices_in(SESSION_OPENING) > 0;
}

/* Returns OUTCOME_DONE if a device can be used now, otherwise the reason why not. Starts opening
 * devices, except in a signal handler. */
static enum outcome session_state_outcome(void) {
    enum outcome outcome = session_run_leave();
    if (outcome != OUTCOME_DONE)
        return outcome;
    if (!session_child_may())
        return OUTCOME_FORKED;
    if (session_device_is_here() || shutdown_has_begun())
        return OUTCOME_NONE;
    const bool may_begin = !atomic_load(&is_begun) && !conf_is_backend_none();
    if (may_begin && !shutdown_is_in_child() && (outcome = begin_opening_devices()) != OUTCOME_DONE)
        return outcome;
    /* Reads is_opening before the counts of devices. If opening ends between the two reads, the
     * counts already include the opened device. */
    bool is_opening = are_opening();
    return session_devices_in(SESSION_READY) > 0 ? OUTCOME_DONE
           : is_opening                          ? OUTCOME_OPENING
                                                 : OUTCOME_NONE;
}

/* Waits until all devices are open or have failed. The count of devices grows during the wait,
 * because the first device begins to open the others. */
static void wait_for_all(void) {
    starting_wait(EVENT_FOREVER);
    for (unsigned i = 0; i < session_devices_begun(); i++) {
        struct session_device *d = session_device(i);
        struct executor *opens = d->streams.stream[0].executor;
        if (session_device_state(d) == SESSION_OPENING && opens &&
            !executor_wait(opens, mpgpu_conf.watchdog) && !signal_guard_is_in_child())
            session_device_abandon(d);
    }
}

static enum outcome wait_for_device(void) {
    enum outcome outcome = session_state_outcome();
    bool is_to_wait = outcome == OUTCOME_OPENING || (outcome == OUTCOME_DONE && are_opening());
    if (!is_to_wait || interrupted())
        return outcome;
    progress_begin();
    wait_for_all();
    progress_end();
    return session_state_outcome();
}

enum outcome session_question(void) {
    enum outcome outcome = session_state_outcome();
    bool is_to_wait = mpgpu_conf.open == OPEN_WAIT &&
                      (outcome == OUTCOME_OPENING || (outcome == OUTCOME_DONE && are_opening()));
    return is_to_wait ? wait_for_device() : outcome;
}

static enum outcome ask_with_signal_guard(enum outcome (*ask)(void)) {
    struct signal_guard before;
    signal_guard_begin(&before);
    signal_guard_let_in(&before);
    enum outcome outcome = ask();
    signal_guard_end(&before);
    return outcome;
}

enum outcome session_ready(void) {
    return ask_with_signal_guard(session_question);
}

enum outcome session_wait(void) {
    contact_allow();
    return ask_with_signal_guard(wait_for_device);
}

bool session_defers_contact(void) {
    return !contact_is_allowed();
}

void session_add_gmp_time(int64_t ns) {
    contact_add_time(ns);
}

enum outcome session_expect(int64_t ns) {
    struct signal_guard before;
    if (!contact_expect(ns))
        return OUTCOME_OPENING;
    signal_guard_begin(&before);
    signal_guard_let_in(&before);
    enum outcome outcome = session_question();
    if (outcome == OUTCOME_OPENING && ns >= LEAST_TO_WAIT_NS && gpu_served_may_run()) {
        starting_wait(ns / 2);
        dispatch_warm_up();
        outcome = session_question();
    }
    signal_guard_end(&before);
    return outcome;
}

/* Considers only the devices that are already open, and waits for no others. */
int session_least_used(void) {
    unsigned number[SESSION_DEVICES];
    if (session_bound() != SESSION_ANY)
        return session_bound();
    contact_allow();
    if (session_devices_begun() == 0)
        session_ready();
    unsigned count = session_devices(number), best = count > 0 ? number[0] : 0;
    for (unsigned i = 1; i < count; i++)
        if (context_in_use(number[i]) < context_in_use(best))
            best = number[i];
    return (int)best;
}

void session_fault(void) {
    session_device_fault(session_chosen_last());
}

enum outcome session_profile(struct gpu_device *dev, struct profile *p) {
    unsigned number[SESSION_DEVICES];
    enum outcome outcome = session_ready();
    if (outcome == OUTCOME_DONE && session_devices(number) == 0)
        outcome = OUTCOME_NONE;
    /* once a device is open, `dev` and `profile` of its context stay valid */
    if (outcome == OUTCOME_DONE) {
        const struct context *s = session_device_first(session_device(number[0]));
        *dev = s->dev;
        *p = s->profile;
    }
    return outcome;
}

bool session_ask_device(int device, struct gpu_device *dev) {
    if (device == SESSION_ANY || !session_is_usable(device))
        return false;
    *dev = session_device_first(session_device((unsigned)device))->dev;
    return true;
}

void session_use_profile(const struct profile *p) {
    bool held = session_devices_acquire_all(HOLD_SECONDS);
    for (unsigned i = 0; i < session_devices_begun(); i++)
        for (int k = 0; k < STREAMS_MOST; k++)
            session_device(i)->streams.stream[k].context.profile = *p;
    session_thresholds_set(p);
    if (held)
        session_devices_release_all();
}

/* Writes the lines about all devices, separated by "; ". */
static void describe_all(char *text, size_t size) {
    size_t length = 0;
    char about[sizeof session_device(0)->about];
    for (unsigned i = session_devices_first(); i < session_devices_begun() && length < size; i++) {
        session_device_describe(session_device(i), about, sizeof about);
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? "; " : "", about);
    }
}

void session_describe(char *text, size_t size) {
    if (!session_child_has_any()) {
        snprintf(text, size, "none in a child of fork");
        return;
    }
    session_look();
    const char *none = atomic_load(&is_none);
    if (session_devices_begun() > session_devices_first())
        describe_all(text, size);
    else if (conf_is_backend_none())
        snprintf(text, size, "backend:none");
    else if (starting_is_under_way())
        snprintf(text, size, "waiting for mpgpu-serve");
    else if (none || is_never_usable())
        snprintf(text, size, "none: %s", none ? none : is_never);
    else
        snprintf(text, size, "not opened");
}

bool session_ask_work(unsigned i, struct session_work *work) {
    if (i >= session_devices_begun() - session_devices_first() || !session_child_has_any())
        return false;
    struct session_device *d = session_device(session_devices_first() + i);
    session_device_describe(d, work->about, sizeof work->about);
    work->is_used = atomic_load(&d->state) == SESSION_READY;
    work->calls = atomic_load(&d->calls);
    work->ns = atomic_load(&d->ns);
    return true;
}
