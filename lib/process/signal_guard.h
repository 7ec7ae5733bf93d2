/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Saves the state of a program's thread before this library's work and restores it afterwards:
 * errno, the signal mask, the cancel state and the floating-point environment. GMP's functions
 * change none of these. A cancellation, or a signal handler that leaves by longjmp, cannot
 * interrupt the work and leave this library's locks locked. */
#ifndef MPGPU_SIGNAL_GUARD_H
#define MPGPU_SIGNAL_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "lib/process/floating.h"

/* How often a waiting thread looks for pending signals, in nanoseconds. If many threads wait, the
 * interval grows up to SIGNAL_GUARD_LONG_NS. */
enum { SIGNAL_GUARD_LOOK_NS = 2000000, SIGNAL_GUARD_LONG_NS = 100000000 };

/* Functions that a waiting thread calls before and after it runs signal handlers of the program.
 * `suspend` must release everything that other threads need, because a handler can leave by longjmp
 * and never return. The struct is on the thread's stack. */
struct signal_window {
    /* returns false and changes nothing if handlers cannot run now */
    bool (*suspend)(void *of);
    /* called after the handlers; returns false if it cannot acquire again what `suspend` has
     * released */
    bool (*resume)(void *of);
    void *of;
    struct signal_window *outer;
};

struct signal_guard {
    int error, cancel_state, cancel_type;
    sigset_t signals;
    struct floating floating;
    struct signal_guard *within;
    bool lets_in;                  /* signal handlers may run during waits inside this guard */
    pid_t process;                 /* id of the process in which the guard began */
    unsigned nested;               /* count of guards that began inside this one */
    struct signal_window *windows; /* innermost first */
};

/* Begins a guard. Until signal_guard_end, the thread accepts no cancellation, and no signals except
 * synchronous ones, which it causes itself (SIGSEGV, ...). The thread gets the default
 * floating-point environment. */
void signal_guard_begin(struct signal_guard *m);

/* Returns true if the calling thread is inside a guard. */
bool signal_guard_is_here(void);

/* Allows signal handlers to run while the thread waits inside this guard, unless the guard is
 * inside another guard. The thread must own nothing that other threads need, except what the
 * suspend functions of its windows release (struct signal_window). */
void signal_guard_let_in(struct signal_guard *m);

/* signal_guard_push adds *w to the calling thread's stack of windows (struct signal_window);
 * signal_guard_pop removes it. Outside of guards neither does anything. */
void signal_guard_push(struct signal_window *w);
void signal_guard_pop(const struct signal_window *w);

/* A `suspend` function (struct signal_window) that always returns false, so that no signal handler
 * runs during the wait. */
bool signal_guard_never(void *unused);

/* Handles pending signals during a long wait; call it every few milliseconds. Signals without a
 * handler of the program take their default action, such as ending the program. If signals with a
 * handler are pending and signal_guard_let_in allows handlers, calls `suspend` of all windows
 * (struct signal_window), runs the handlers, and calls `resume` of all windows. A pending
 * cancellation may also act. Leaves signals that the main thread will take to that thread.
 *
 * Returns false if the wait must end. This is so if a `resume` has returned false, or if a
 * handler has called fork and this process is the child. */
bool signal_guard_let_pass(void);

/* Does the same as signal_guard_let_pass, but runs no handler, because the caller has locks. */
void signal_guard_take_defaults(void);

/* Returns true if a handler has forked during a wait inside this guard, and this process is the
 * child. The child has no threads of this library, and owns nothing that the windows have
 * released. */
bool signal_guard_is_in_child(void);

/* Ends the guard and restores the saved state. Handlers of pending signals run here. A handler is
 * allowed to leave by longjmp; then signal_guard_end does not return. A pending asynchronous
 * cancellation also acts here. */
void signal_guard_end(struct signal_guard *m);

#endif
