/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The wait for the device by load: how much longer a call takes than on an idle device, where so
 * many calls of this process were in flight as it began.  Other processes show in all of them. */
#ifndef MPGPU_LOAD_H
#define MPGPU_LOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { LOAD_LEVELS = 32 };

/* Nanoseconds, ascending.  Any thread reads and writes; a lost update is one call's. */
struct load {
    _Atomic int64_t excess[LOAD_LEVELS];
};

/* What a call that finds `in_flight` others has to expect. */
int64_t load_get(const struct load *l, int in_flight);

/* Such a call took `excess` longer than `idle`.  A trial counts for more, and moves what stands
 * above. */
void load_observe(struct load *l, int in_flight, int64_t excess, int64_t idle, bool trial);

#endif
