/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Saves errno, the signal mask, the cancel state and the floating-point environment around our work
 * in a thread of the program, and restores them.  GMP's functions change none of them.  A handler
 * of the program that leaves by longjmp, or a cancellation, must not find our locks locked. */
#ifndef MPGPU_SIGNAL_GUARD_H
#define MPGPU_SIGNAL_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "lib/process/floating.h"

/* Nanoseconds between looks at pending signals in a wait; where many threads wait, at most. */
enum { SIGNAL_GUARD_LOOK_NS = 2000000, SIGNAL_GUARD_LONG_NS = 100000000 };

/* What a waiting thread has of others, and must let go before a handler of the program runs: the
 * handler may never return.  In memory of the thread's stack. */
struct signal_window {
    bool (*let_go)(void *of);    /* false: not now; nothing has changed then */
    bool (*take_back)(void *of); /* the handlers have returned; false: it is gone */
    void *of;
    struct signal_window *outer;
};

struct signal_guard {
    int error, cancel_state, cancel_type;
    sigset_t signals;
    struct floating floating;
    struct signal_guard *within;
    bool lets_in;                  /* handlers run in waits: */
    pid_t process;                 /* of this process */
    unsigned nested;               /* guards inside this one */
    struct signal_window *windows; /* the innermost first */
};

/* From here on the thread takes no cancellation and no signal, except those that it causes itself
 * (SIGSEGV, ...), and has the default floating-point environment. */
void signal_guard_begin(struct signal_guard *m);

/* From here on handlers run in the waits of this guard, unless it is inside another: the caller
 * has nothing that others need but what its windows let go. */
void signal_guard_let_in(struct signal_guard *m);

/* Adds and removes a window of the calling thread, as a stack.  No effect outside of guards. */
void signal_guard_push(struct signal_window *w);
void signal_guard_pop(const struct signal_window *w);

/* A window's let_go: no handler runs in its wait. */
bool signal_guard_never(void *unused);

/* Called once in a while during a long wait.  Pending signals for which the program has no handler
 * take their default action, such as to end the program.  For others, except those of the process
 * that the main thread takes, all windows let go, the handlers run, as may a cancellation, and the
 * windows take back.  Returns false if what one of them had is gone, or in a child that a handler
 * has forked: then the wait is over. */
bool signal_guard_let_pass(void);

/* The same, but no handler runs: the caller holds locks. */
void signal_guard_take_defaults(void);

/* Has a handler forked in a wait of this guard, and is this the child?  The child has neither our
 * threads nor what the windows have let go. */
bool signal_guard_is_in_child(void);

/* Restores all of it.  The handler of a pending signal may not return, and an asynchronous
 * cancellation may act. */
void signal_guard_end(struct signal_guard *m);

#endif
