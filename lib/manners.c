/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Signals, cancellation and errno round our work in a thread of the program. */
#include "config.h"

#include "manners.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

void manners_begin(struct manners *m) {
    static const int of_the_thread[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t others;
    m->error = errno;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof of_the_thread / sizeof *of_the_thread; i++)
        sigdelset(&others, of_the_thread[i]);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &m->cancel);
    pthread_sigmask(SIG_BLOCK, &others, &m->signals);
}

void manners_end(const struct manners *m) {
    pthread_setcancelstate(m->cancel, NULL);
    errno = m->error;
    pthread_sigmask(SIG_SETMASK, &m->signals, NULL);
}
