/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For tests of signal handlers that run while a call waits for a device which does not answer. */
#ifndef MPGPU_TEST_FAULT_HANDLERS_H
#define MPGPU_TEST_FAULT_HANDLERS_H

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include "tests/unit/fault/fault_lives.h"

static sigjmp_buf out;
static pthread_t caller;
static atomic_bool is_over; /* true after the interrupted call has returned */
/* the process that a signal handler has forked; 0 in that process itself */
static pid_t child = -1;
/* returns false if no signal may be sent now; then the test ends the hang instead. NULL: signals
 * are always sent */
static bool (*may_interrupt)(void);

static inline void leave(int signal) {
    (void)signal;
    siglongjmp(out, 1);
}

static inline void *interrupt_once(void *unused) {
    while (fault_count.faults == 0 && !atomic_load(&is_over))
        usleep(200);
    if (may_interrupt && !may_interrupt())
        fault_answer();
    else if (!atomic_load(&is_over))
        pthread_kill(caller, SIGUSR1);
    return unused;
}

/* Runs `call`. Backend call number `place` hangs, and then a signal arrives whose handler is
 * `handler`. Returns true if the handler has left the call by siglongjmp. */
static inline bool run_interrupted(void (*call)(void), long place, void (*handler)(int)) {
    static pthread_t thread;
    static bool has_left;
    struct sigaction action = {.sa_flags = 0};
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, NULL);
    caller = pthread_self();
    atomic_store(&is_over, false);
    fault_plan.status = FAULT_HANGS;
    fault_plan.call = fault_count.calls + place;
    has_left = true;
    if (sigsetjmp(out, 1) == 0) {
        ck_assert_int_eq(pthread_create(&thread, NULL, interrupt_once, NULL), 0);
        call();
        has_left = false;
    }
    atomic_store(&is_over, true);
    /* fork copies only the calling thread, so the child has no other thread to wait for */
    if (child == 0)
        return false;
    /* the signal may arrive as late as here, after the call has returned */
    if (sigsetjmp(out, 1) == 0)
        pthread_join(thread, NULL);
    return has_left;
}

#endif
