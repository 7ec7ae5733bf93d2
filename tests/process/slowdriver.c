/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A mock libOpenCL.so.1 whose loading takes SLOWDRIVER_MS (400) milliseconds; it must not be
 * unloaded during that time. It sets handlers for all signals, and has no OpenCL functions. */
#include "config.h" /* must come first: enables system functions beyond C11 */

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

static __attribute__((constructor)) void set_up(void) {
    static const char message[] = "slowdriver: taken down while it is loaded\n";
    atexit(take_down);
    take_signals();
    const char *ms = getenv("SLOWDRIVER_MS");
    usleep(1000 * (useconds_t)(ms ? atoi(ms) : 400));
    if (atomic_load(&is_down) && write(STDERR_FILENO, message, sizeof message - 1) > 0)
        _exit(98);
}
