/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What a thread of the program has before it waits for the device and has again
 * afterwards: GMP's functions leave it all alone, and a handler of the program that
 * leaves by longjmp, or a cancellation, must not find our locks taken. */
#ifndef MPGPU_SIGNAL_GUARD_H
#define MPGPU_SIGNAL_GUARD_H

#include <signal.h>

#include "lib/process/floating.h"

enum { SIGNAL_GUARD_LOOK_NS = 100000000 }; /* between looks at signals, in a wait */

struct signal_guard {
    int error, cancel_state, cancel_type;
    sigset_t signals;
    struct floating floating;
    const struct signal_guard *within;
};

/* From here on no signal, but for those that the thread brings on itself, no cancellation, and the
 * default floating-point environment. */
void signal_guard_begin(struct signal_guard *m);

/* In between, once in a while when it takes long: signals that have come and for which the program
 * has no handler do what they do by default, such as to end it. */
void signal_guard_let_pass(void);

/* All as it was.  A handler of a signal that has waited may not come back; a cancellation that the
 * thread takes at any time acts. */
void signal_guard_end(const struct signal_guard *m);

#endif
