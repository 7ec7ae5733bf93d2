/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Saves errno, the signal mask, the cancel state and the floating-point environment around our work
 * in a thread of the program, and restores them.  GMP's functions change none of them.  A handler
 * of the program that leaves by longjmp, or a cancellation, must not find our locks locked. */
#ifndef MPGPU_SIGNAL_GUARD_H
#define MPGPU_SIGNAL_GUARD_H

#include <signal.h>

#include "lib/process/floating.h"

enum { SIGNAL_GUARD_LOOK_NS = 100000000 }; /* between looks at pending signals in a wait */

struct signal_guard {
    int error, cancel_state, cancel_type;
    sigset_t signals;
    struct floating floating;
    const struct signal_guard *within;
};

/* From here on the thread takes no cancellation and no signal, except those that it causes itself
 * (SIGSEGV, ...), and has the default floating-point environment. */
void signal_guard_begin(struct signal_guard *m);

/* Called once in a while during a long wait.  Pending signals for which the program has no handler
 * take their default action, such as to end the program. */
void signal_guard_let_pass(void);

/* Restores all of it.  The handler of a pending signal may not return, and an asynchronous
 * cancellation may act. */
void signal_guard_end(const struct signal_guard *m);

#endif
