/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The device of this process: its state, and who may use it when. */
#include "session.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "conf.h"
#include "leaving.h"
#include "log.h"
#include "opener.h"
#include "stats.h"
#include "transfer.h"
#include "worker.h"

enum { MOST_FAULTS = 3 };

/* CLOSED, then OPENING, then READY or NONE; READY may become NONE. */
enum { CLOSED, OPENING, READY, NONE };

struct session_thresholds session_thresholds;

static struct session session;
static atomic_int state = CLOSED;
static atomic_int faults;

/* Guards changes of state, and the text. */
static pthread_mutex_t state_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t state_changed = PTHREAD_COND_INITIALIZER;
static char about[512] = "not opened"; /* the device, or why there is none */

/* Held by the one operation at a time, and by the opening thread. */
static pthread_mutex_t operation = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int holds_operation;

/* What the thread had before session_begin and has again after session_end: GMP's
 * functions leave it all alone, and a handler of the program that leaves by longjmp,
 * or a cancellation, must not find our locks taken and copies under way. */
struct manners {
    int error, cancel;
    sigset_t signals;
};
static _Thread_local struct manners saved;

static void manners_begin(struct manners *m) {
    static const int of_the_thread[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t others;
    m->error = errno;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof of_the_thread / sizeof *of_the_thread; i++)
        sigdelset(&others, of_the_thread[i]);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &m->cancel);
    pthread_sigmask(SIG_BLOCK, &others, &m->signals);
}

static void manners_end(const struct manners *m) {
    pthread_setcancelstate(m->cancel, NULL);
    errno = m->error;
    pthread_sigmask(SIG_SETMASK, &m->signals, NULL); /* a handler may not come back */
}

static int holds(void) {
    return holds_operation;
}

static void set_threshold(_Atomic size_t *threshold, size_t option, size_t profile) {
    atomic_store(threshold, option == MPGPU_UNSET ? profile : option);
}

static void set_thresholds(const struct thresholds *t) {
    set_threshold(&session_thresholds.mul, mpgpu_conf.mul, t->mul);
    set_threshold(&session_thresholds.sqr, mpgpu_conf.sqr, t->sqr);
    set_threshold(&session_thresholds.mulmod, mpgpu_conf.mulmod, t->mulmod);
    set_threshold(&session_thresholds.add, mpgpu_conf.add, t->add);
}

/* There is no device, and none to come: calls need not ask, unless they are counted. */
static void set_thresholds_never(void) {
    if (mpgpu_conf.stats != STATS_OFF)
        return;
    atomic_store(&session_thresholds.mul, MPGPU_NEVER);
    atomic_store(&session_thresholds.sqr, MPGPU_NEVER);
    atomic_store(&session_thresholds.mulmod, MPGPU_NEVER);
    atomic_store(&session_thresholds.add, MPGPU_NEVER);
}

static int is_backend_none(void) {
    return strcmp(mpgpu_conf.backend, "none") == 0;
}

static void init_once(void) {
    struct thresholds t;
    mpgpu_conf_init();
    profile_smallest(&t);
    set_thresholds(&t);
    if (is_backend_none())
        set_thresholds_never();
}

void session_init(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_once);
}

static void set_state(int next, const char *text) {
    pthread_mutex_lock(&state_mutex);
    snprintf(about, sizeof about, "%s", text);
    atomic_store(&state, next);
    if (next == NONE)
        set_thresholds_never();
    pthread_cond_broadcast(&state_changed);
    pthread_mutex_unlock(&state_mutex);
}

/* The opening thread. */
static void open_device(void *unused) {
    (void)unused;
    char text[sizeof about] = "the program is ending";
    double start = stats_clock();
    pthread_mutex_lock(&operation);
    holds_operation = 1;
    int status = leaving_now() ? GPU_FAILED : opener_open(&session, text, sizeof text);
    if (status == GPU_OK) {
        struct thresholds t;
        profile_thresholds(session.dev.backend->name, &session.dev.caps, &t);
        set_thresholds(&t);
    }
    mpgpu_log(LOG_INFO, "%s (%.2f s)", text, stats_clock() - start);
    set_state(status == GPU_OK ? READY : NONE, text);
    holds_operation = 0;
    pthread_mutex_unlock(&operation);
}

/* From CLOSED on, once.  Called with state_mutex held. */
static void start_opening(void) {
    leaving_prepare(&operation, holds);
    snprintf(about, sizeof about, "being opened");
    atomic_store(&state, OPENING);
    if (!worker_start(open_device, NULL)) {
        snprintf(about, sizeof about, "no thread to open a device in");
        atomic_store(&state, NONE);
    }
}

/* What stands against the device now; starts the opening. */
static enum mpgpu_why current(void) {
    if (leaving_in_child())
        return WHY_FORKED;
    if (holds_operation || leaving_now())
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

static enum mpgpu_why wait_for_device(void) {
    enum mpgpu_why why = current();
    if (why != WHY_OPENING)
        return why;
    pthread_mutex_lock(&state_mutex);
    while (atomic_load(&state) == OPENING)
        pthread_cond_wait(&state_changed, &state_mutex);
    pthread_mutex_unlock(&state_mutex);
    return current();
}

enum mpgpu_why session_wait(void) {
    struct manners before;
    manners_begin(&before);
    enum mpgpu_why why = wait_for_device();
    manners_end(&before);
    return why;
}

/* The lock, if the device is still there then. */
static enum mpgpu_why take_device(void) {
    pthread_mutex_lock(&operation);
    if (leaving_now() || atomic_load(&state) != READY) {
        pthread_mutex_unlock(&operation);
        return WHY_NONE;
    }
    holds_operation = 1;
    return WHY_DONE;
}

/* With open:wait only a device that is there, or none. */
static enum mpgpu_why ready(void) {
    enum mpgpu_why why = current();
    return why == WHY_OPENING && mpgpu_conf.open == OPEN_WAIT ? wait_for_device() : why;
}

enum mpgpu_why session_ready(void) {
    struct manners before;
    manners_begin(&before);
    enum mpgpu_why why = ready();
    manners_end(&before);
    return why;
}

enum mpgpu_why session_begin(struct session **sp) {
    struct manners before;
    manners_begin(&before);
    enum mpgpu_why why = ready();
    if (why == WHY_DONE)
        why = take_device();
    if (why == WHY_DONE) {
        saved = before;
        *sp = &session;
    } else
        manners_end(&before);
    return why;
}

static void leave_alone(const char *why) {
    char text[sizeof about];
    snprintf(text, sizeof text, "left alone: %s", why);
    mpgpu_log(LOG_WARNING, "the device is %s", text);
    set_state(NONE, text);
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

enum mpgpu_why session_end(struct session *s, int status) {
    enum mpgpu_why why = status == GPU_OK || leaving_now() ? WHY_DONE : end_badly(s, status);
    if (status != GPU_OK && why == WHY_DONE)
        why = WHY_NONE; /* the program is ending, and a build was refused for that */
    holds_operation = 0;
    pthread_mutex_unlock(&operation);
    manners_end(&saved);
    return why;
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
