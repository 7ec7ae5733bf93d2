/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Is one thread at work, or are there several? */
#ifndef MPGPU_CROWD_H
#define MPGPU_CROWD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Zero at first.  Written at most once a millisecond while several threads are at work. */
struct crowd {
    _Atomic uintptr_t last;   /* a thread that has asked */
    _Atomic int64_t switched; /* when that was another than before */
};

/* Thread `me`, not 0, makes a call.  Has no other made one in the last 10 ms? */
bool crowd_is_alone(struct crowd *c, uintptr_t me, int64_t now);

#endif
