/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What a thread of the program has before it waits for the device and has again
 * afterwards: GMP's functions leave it all alone, and a handler of the program that
 * leaves by longjmp, or a cancellation, must not find our locks taken. */
#ifndef MPGPU_MANNERS_H
#define MPGPU_MANNERS_H

#include <signal.h>

#include "lib/process/floating.h"

enum { MANNERS_LOOK_NS = 100000000 }; /* between looks at signals, in a wait */

struct manners {
    int error, cancel_state, cancel_type;
    sigset_t signals;
    struct floating floating;
    const struct manners *within;
};

/* From here on no signal, but for those that the thread brings on itself, no cancellation, and the
 * default floating-point environment. */
void manners_begin(struct manners *m);

/* In between, once in a while when it takes long: signals that have come and for which the program
 * has no handler do what they do by default, such as to end it. */
void manners_let_pass(void);

/* All as it was.  A handler of a signal that has waited may not come back; a cancellation that the
 * thread takes at any time acts. */
void manners_end(const struct manners *m);

#endif
