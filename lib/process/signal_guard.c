/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Protects the state of the program's threads during this library's work: signals, cancellation,
 * errno and the floating-point environment. A waiting thread must regularly look for pending
 * signals, because no system call can wait for a futex and for a signal without accepting the
 * signal.
 *
 * Asynchronous cancellation: glibc before 2.41 sends the thread a signal whose handler checks only
 * the cancellation type, not the state. Each cancellation point sets that type while it lasts. So a
 * signal that was sent before cancellation was disabled would act at a later cancellation point.
 * signal_guard_begin therefore calls a cancellation point that returns only if no such signal is
 * pending. After that, a cancellation stays pending in all versions.
 *
 * At the end the state is restored first and the type last. Only if restoring the type triggers a
 * pending cancellation does the thread end with the result PTHREAD_CANCELED. */
#include "config.h"

#include "lib/process/signal_guard.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "lib/base/process.h"

static _Thread_local struct signal_guard *outermost; /* the guard that the thread began first */

/* Disables cancellation. A cancellation that was sent before acts in tcdrain, which is a
 * cancellation point. Few programs define a function named tcdrain, which would replace the C
 * library's. */
static void forbid_cancellation(struct signal_guard *m) {
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &m->cancel_type);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &m->cancel_state);
    if (m->cancel_type == PTHREAD_CANCEL_ASYNCHRONOUS && m->cancel_state == PTHREAD_CANCEL_ENABLE)
        tcdrain(-1);
}

bool signal_guard_is_here(void) {
    return outermost != NULL;
}

void signal_guard_begin(struct signal_guard *m) {
    static const int of_the_thread[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t others;
    m->error = errno;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof of_the_thread / sizeof *of_the_thread; i++)
        sigdelset(&others, of_the_thread[i]);
    forbid_cancellation(m);
    pthread_sigmask(SIG_BLOCK, &others, &m->signals);
    floating_begin(&m->floating);
    m->lets_in = false;
    m->nested = 0;
    m->windows = NULL;
    m->within = outermost;
    if (outermost)
        outermost->nested++;
    else
        outermost = m;
}

static void restore_signals(void *signals) {
    pthread_sigmask(SIG_SETMASK, signals, NULL);
}

/* Enables asynchronous cancellation again. A pending cancellation acts here and ends the thread.
 * The cleanup handler, which is still installed, then restores the thread's signal mask. */
static void restore_asynchronous(sigset_t signals) {
    pthread_cleanup_push(restore_signals, &signals);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    restore_signals(&signals);
    pthread_cleanup_pop(0);
}

void signal_guard_end(struct signal_guard *m) {
    outermost = m->within;
    if (outermost)
        outermost->nested--;
    floating_end(&m->floating);
    pthread_setcancelstate(m->cancel_state, NULL);
    errno = m->error;
    if (m->cancel_type == PTHREAD_CANCEL_ASYNCHRONOUS)
        restore_asynchronous(m->signals);
    else
        pthread_sigmask(SIG_SETMASK, &m->signals, NULL);
}

/* ---- waiting */

void signal_guard_let_in(struct signal_guard *m) {
    m->lets_in = m == outermost;
    m->process = getpid();
}

void signal_guard_push(struct signal_window *w) {
    if (!outermost)
        return;
    w->outer = outermost->windows;
    outermost->windows = w;
}

void signal_guard_pop(const struct signal_window *w) {
    if (outermost)
        outermost->windows = w->outer;
}

bool signal_guard_never(void *unused) {
    (void)unused;
    return false;
}

/* Pending signals that the program does not block: the set of signals with the default action, and
 * whether there are signals with a handler. */
struct waiting {
    sigset_t by_default;
    bool is_handled;
    bool is_for_main; /* the main thread will take a pending signal that has a handler */
};

/* Returns true if the signal is in the set named `set` in `status`, the text of
 * /proc/.../status. */
static bool is_in_set(const char *status, const char *set, int signal) {
    const char *value = strstr(status, set);
    return value && (strtoull(value + strlen(set), NULL, 16) >> (signal - 1)) % 2 != 0;
}

/* Returns true if the signal was sent to the process and the main thread will take it. The kernel
 * has then chosen the main thread, so this thread must not take the signal. */
static bool is_for_main_thread(int signal) {
    char status[2048];
    if (syscall(SYS_gettid) == getpid())
        return false;
    if (!process_text("/proc/thread-self/status", status, sizeof status) ||
        is_in_set(status, "\nSigPnd:\t", signal))
        return false;
    return process_text("/proc/self/status", status, sizeof status) &&
           !strstr(status, "\nState:\tZ") && !is_in_set(status, "\nSigBlk:\t", signal);
}

static void sort_pending(struct waiting *w) {
    sigset_t pending;
    struct sigaction action;
    *w = (struct waiting){.is_handled = false};
    sigemptyset(&w->by_default);
    if (sigpending(&pending) != 0)
        return;
    for (int signal = 1; signal < NSIG; signal++) {
        if (sigismember(&pending, signal) != 1 || sigismember(&outermost->signals, signal) ||
            sigaction(signal, NULL, &action) != 0)
            continue;
        if (action.sa_handler == SIG_DFL)
            sigaddset(&w->by_default, signal);
        else if (action.sa_handler != SIG_IGN)
            *(is_for_main_thread(signal) ? &w->is_for_main : &w->is_handled) = true;
    }
}

static void take_default_actions(const sigset_t *signals) {
    sigset_t blocked;
    pthread_sigmask(SIG_UNBLOCK, signals, &blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
}

/* Returns true if a cancellation may be pending. There is no function that returns whether one is
 * pending. */
static bool may_be_cancelled(const struct signal_guard *m) {
    return m->cancel_type == PTHREAD_CANCEL_ASYNCHRONOUS &&
           m->cancel_state == PTHREAD_CANCEL_ENABLE;
}

/* Lets pending signal handlers run: ends the guard, and begins it again. */
static void run_handlers(struct signal_guard *m) {
    struct signal_window *windows = m->windows;
    signal_guard_end(m);
    signal_guard_begin(m);
    m->windows = windows;
    m->lets_in = true;
}

bool signal_guard_is_in_child(void) {
    return outermost && outermost->lets_in && outermost->process != getpid();
}

static bool open_windows(struct signal_guard *m, struct signal_window *w) {
    if (!w) {
        run_handlers(m);
        return !signal_guard_is_in_child();
    }
    if (!w->suspend(w->of))
        return true;
    bool is_kept = open_windows(m, w->outer);
    return !signal_guard_is_in_child() && w->resume(w->of) && is_kept;
}

void signal_guard_take_defaults(void) {
    struct waiting w;
    if (!outermost || signal_guard_is_in_child())
        return;
    sort_pending(&w);
    take_default_actions(&w.by_default);
}

bool signal_guard_let_pass(void) {
    struct waiting w;
    if (!outermost)
        return true;
    if (signal_guard_is_in_child())
        return false;
    sort_pending(&w);
    take_default_actions(&w.by_default);
    if (!outermost->lets_in || outermost->nested > 0 ||
        !(w.is_handled || (may_be_cancelled(outermost) && !w.is_for_main)))
        return true;
    return open_windows(outermost, outermost->windows);
}
