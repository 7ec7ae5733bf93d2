/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How long calls wait for the device: how much longer a call takes than on an idle device. This
 * depends on the number of this process's other calls on the device. Calls of other processes
 * lengthen all these waits. */
#ifndef MPGPU_LOAD_H
#define MPGPU_LOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { LOAD_LEVELS = 32 };

/* The wait for each number of calls in flight, in nanoseconds, ascending. Any thread reads and
 * writes; if an update is lost, one call does not count. */
struct load {
    _Atomic int64_t excess[LOAD_LEVELS];
};

/* Returns the expected wait of a call that finds `in_flight` other calls on the device. */
int64_t load_get(const struct load *l, int in_flight);

/* Records that a call that found `in_flight` others took `excess` longer than `idle`. A trial (a
 * call sent although the device might be slower) counts more, and also moves the waits of higher
 * loads. */
void load_observe(struct load *l, int in_flight, int64_t excess, int64_t idle, bool trial);

#endif
