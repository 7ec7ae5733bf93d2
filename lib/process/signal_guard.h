/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Saves and restores the state of a program's thread around this library's work: errno, the signal
 * mask, the cancel state and the floating-point environment. GMP's functions change none of these.
 * A handler of the program that leaves by longjmp, or a cancellation, must not leave this library's
 * locks locked. */
#ifndef MPGPU_SIGNAL_GUARD_H
#define MPGPU_SIGNAL_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "lib/process/floating.h"

/* Nanoseconds between looks at pending signals in a wait; the latter is the longest, if many
 * threads wait. */
enum { SIGNAL_GUARD_LOOK_NS = 2000000, SIGNAL_GUARD_LONG_NS = 100000000 };

/* What a waiting thread must release before a handler of the program runs: the handler may never
 * return. Lives on the thread's stack. */
struct signal_window {
    bool (*let_go)(void *of);    /* false: not now, and nothing has changed */
    bool (*take_back)(void *of); /* handlers have returned; false: it is gone */
    void *of;
    struct signal_window *outer;
};

struct signal_guard {
    int error, cancel_state, cancel_type;
    sigset_t signals;
    struct floating floating;
    struct signal_guard *within;
    bool lets_in;                  /* handlers run in waits */
    pid_t process;                 /* of this process */
    unsigned nested;               /* count of guards inside this one */
    struct signal_window *windows; /* innermost first */
};

/* Begins a guard: the thread takes no cancellation, and no signal except its own (SIGSEGV, ...). It
 * has the default floating-point environment. */
void signal_guard_begin(struct signal_guard *m);

/* Allows handlers in the waits of this guard, unless it is inside another guard. The caller must
 * own nothing that others need, except through its windows. */
void signal_guard_let_in(struct signal_guard *m);

/* Adds and removes a window of the calling thread, as a stack. No effect outside of guards. */
void signal_guard_push(struct signal_window *w);
void signal_guard_pop(const struct signal_window *w);

/* A let_go function that refuses: no handler runs in its wait. */
bool signal_guard_never(void *unused);

/* Call it now and then during a long wait. Pending signals without a handler of the program take
 * their default action, such as ending the program.
 * For pending signals with a handler, all windows let go, the handlers run, a cancellation may act,
 * and the windows take back. Signals of the process that the main thread takes are left to it.
 * Returns false if a window could not take back, or in a child that a handler has forked: the wait
 * is over. */
bool signal_guard_let_pass(void);

/* The same, but no handler runs: the caller holds locks. */
void signal_guard_take_defaults(void);

/* Has a handler forked in a wait of this guard, and is this the child?  The child has neither our
 * threads nor what the windows have let go. */
bool signal_guard_is_in_child(void);

/* Ends the guard and restores the saved state. The handler of a pending signal may not return, and
 * an asynchronous cancellation may act. */
void signal_guard_end(struct signal_guard *m);

#endif
