/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A mock libOpenCL.so.1 whose loading takes SLOWDRIVER_MS (400) milliseconds; it must not be
 * unloaded during that time. It sets handlers for all signals, starts a
 * thread that could receive the program's signals, and has no OpenCL functions. */
#include "config.h" /* must come first: enables system functions beyond C11 */

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int is_down;

static void take_down(void) {
    atomic_store(&is_down, 1);
}

static void end(int signal) {
    _exit(signal == SIGUSR2 ? 97 : 96);
}

static void take_signals(void) {
    struct sigaction action = {.sa_flags = (int)SA_RESETHAND};
    action.sa_handler = end;
    for (int signal = 1; signal < 32; signal++)
        sigaction(signal, &action, NULL);
}

/* The driver is linked with -z nodelete, because this thread never ends. */
static void *wait_for_signals(void *unused) {
    (void)unused;
    for (;;)
        pause();
    return NULL;
}

static __attribute__((constructor)) void set_up(void) {
    pthread_t thread;
    static const char message[] = "slowdriver: taken down while it is loaded\n";
    atexit(take_down);
    take_signals();
    if (pthread_create(&thread, NULL, wait_for_signals, NULL) != 0)
        _exit(99);
    const char *ms = getenv("SLOWDRIVER_MS");
    usleep(1000 * (useconds_t)(ms ? atoi(ms) : 400));
    if (atomic_load(&is_down) && write(STDERR_FILENO, message, sizeof message - 1) > 0)
        _exit(98);
}
