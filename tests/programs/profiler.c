/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Preloaded: a profiler that asks where the program is, at each millisecond of processor time. */
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
