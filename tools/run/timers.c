/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Timers of processor time (setitimer), which a process keeps when it becomes another program. */
#include "config.h"

#include "tools/run/timers.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/time.h>

static struct timer {
    int which, signal;
    struct itimerval left;
} timers[] = {{ITIMER_PROF, SIGPROF, {{0, 0}, {0, 0}}},
              {ITIMER_VIRTUAL, SIGVTALRM, {{0, 0}, {0, 0}}}};

enum { TIMERS = sizeof timers / sizeof *timers };

static bool has_handler(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_DFL &&
           action.sa_handler != SIG_IGN;
}

void run_timers_stop(void) {
    for (int i = 0; i < TIMERS; i++)
        if (getitimer(timers[i].which, &timers[i].left) == 0 &&
            timerisset(&timers[i].left.it_value))
            setitimer(timers[i].which, &(struct itimerval){.it_value = {0, 0}}, NULL);
}

void run_timers_restore(void) {
    for (int i = 0; i < TIMERS; i++)
        if (timerisset(&timers[i].left.it_value) && !has_handler(timers[i].signal))
            setitimer(timers[i].which, &timers[i].left, NULL);
}
