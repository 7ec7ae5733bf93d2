/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Signals, cancellation, errno and floating-point environment round our work in a thread of the
 * program.
 *
 * Cancellation that a thread takes at any time (asynchronous): glibc before 2.41 tells the thread
 * by a signal whose handler looks at the cancellation type alone, not at the state.  Each
 * cancellation point sets that type while it lasts, so that a signal which was sent before the
 * state was disabled would act there, or at any later one.  So it is waited for: a cancellation
 * point returns only when no such signal is on its way.  From then on a cancellation is only noted,
 * in all versions. At the end the state comes back first and the type last: only the latter makes a
 * cancellation that was noted give PTHREAD_CANCELED. */
#include "config.h"

#include "lib/process/signal_guard.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <termios.h>

static _Thread_local const struct signal_guard *outermost; /* of those that the thread is in */

/* tcdrain: few others put one of their own in its place. */
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

static int passes(const sigset_t *pending, int signal) {
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

/* Once more a cancellation acts at any time, first of all one that was noted: with the signals as
 * they were, too. */
static void restore_asynchronous(sigset_t signals) {
    pthread_cleanup_push(restore_signals, &signals);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_cleanup_pop(1);
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
