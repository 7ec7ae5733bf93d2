/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Signals, cancellation and errno round our work in a thread of the program. */
#include "config.h"

#include "manners.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static _Thread_local const struct manners *outermost; /* of those that the thread is in */

void manners_begin(struct manners *m) {
    static const int of_the_thread[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t others;
    m->error = errno;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof of_the_thread / sizeof *of_the_thread; i++)
        sigdelset(&others, of_the_thread[i]);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &m->cancel);
    pthread_sigmask(SIG_BLOCK, &others, &m->signals);
    m->within = outermost;
    outermost = outermost ? outermost : m;
}

static int passes(const sigset_t *pending, int signal) {
    struct sigaction action;
    return sigismember(pending, signal) == 1 && !sigismember(&outermost->signals, signal) &&
           sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_DFL;
}

void manners_let_pass(void) {
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

void manners_end(const struct manners *m) {
    outermost = m->within;
    pthread_setcancelstate(m->cancel, NULL);
    errno = m->error;
    pthread_sigmask(SIG_SETMASK, &m->signals, NULL);
}
