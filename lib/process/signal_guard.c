/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Signals, cancellation, errno and floating-point environment around our work.
 *
 * Asynchronous cancellation: glibc before 2.41 sends the thread a signal whose handler looks at the
 * cancellation type alone, not at the state.  Each cancellation point sets that type while it
 * lasts.  A signal that was sent before the state was disabled would act there, or at a later
 * point.
 *
 * So we wait for that signal: a cancellation point returns only when none is on its way.  From then
 * on a cancellation stays pending, in all versions.  At the end the state is restored first and the
 * type last: only the latter makes a pending cancellation give PTHREAD_CANCELED. */
#include "config.h"

#include "lib/process/signal_guard.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <termios.h>

static _Thread_local const struct signal_guard *outermost; /* of those that the thread is inside */

/* tcdrain is a cancellation point that few programs replace by a function of their own. */
static void forbid_cancellation(struct signal_guard *m) {
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &m->cancel_type);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &m->cancel_state);
    if (m->cancel_type == PTHREAD_CANCEL_ASYNCHRONOUS && m->cancel_state == PTHREAD_CANCEL_ENABLE)
        tcdrain(-1);
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
    m->within = outermost;
    outermost = outermost ? outermost : m;
}

static bool passes(const sigset_t *pending, int signal) {
    struct sigaction action;
    return sigismember(pending, signal) == 1 && !sigismember(&outermost->signals, signal) &&
           sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_DFL;
}

void signal_guard_let_pass(void) {
    sigset_t pending, passing, blocked;
    if (!outermost || sigpending(&pending) != 0)
        return;
    sigemptyset(&passing);
    for (int signal = 1; signal < NSIG; signal++)
        if (passes(&pending, signal))
            sigaddset(&passing, signal);
    pthread_sigmask(SIG_UNBLOCK, &passing, &blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
}

static void restore_signals(void *signals) {
    pthread_sigmask(SIG_SETMASK, signals, NULL);
}

/* A pending cancellation acts here, and one that comes may: the thread has its own signal mask
 * again then, and before the cleanup function is taken off. */
static void restore_asynchronous(sigset_t signals) {
    pthread_cleanup_push(restore_signals, &signals);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    restore_signals(&signals);
    pthread_cleanup_pop(0);
}

void signal_guard_end(const struct signal_guard *m) {
    outermost = m->within;
    floating_end(&m->floating);
    pthread_setcancelstate(m->cancel_state, NULL);
    errno = m->error;
    if (m->cancel_type == PTHREAD_CANCEL_ASYNCHRONOUS)
        restore_asynchronous(m->signals);
    else
        pthread_sigmask(SIG_SETMASK, &m->signals, NULL);
}
