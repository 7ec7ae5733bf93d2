/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A preloaded mock profiler: a timer signals each millisecond of processor time, and the handler
 * counts. */
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static volatile sig_atomic_t samples;

static void sample(int signal) {
    (void)signal;
    samples++;
}

static __attribute__((constructor)) void begin(void) {
    const struct itimerval each = {.it_interval = {0, 1000}, .it_value = {0, 1000}};
    sigaction(SIGPROF, &(struct sigaction){.sa_handler = sample, .sa_flags = SA_RESTART}, NULL);
    setitimer(ITIMER_PROF, &each, NULL);
}
