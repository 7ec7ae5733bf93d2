/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Statistics: a row a function, printed at exit when `stats` asks for it. */
#ifndef MPGPU_STATS_H
#define MPGPU_STATS_H

#include <stddef.h>
#include "lib/base/outcome.h"

/* How the device's operations were done. */
enum stats_way {
    STATS_NTT,
    STATS_SSA,
    STATS_BLOCK,
    STATS_BATCH,
    STATS_LIMB, /* products by a limb */
    STATS_SUM,
    STATS_WAYS
};

/* What the operations of this thread's call have taken so far: seconds in their parts, and how many
 * were done which way.  Filled by lib/ while it works, read by stats_count. */
struct stats_times {
    double upload, kernels, download;
    unsigned long ways[STATS_WAYS];
};
extern _Thread_local struct stats_times stats_times;

/* A call begins: what this thread has spent before belongs to none. */
void stats_begin(void);

/* Add to this thread's what another has spent for it. */
void stats_add(const struct stats_times *times);

/* Nonzero if calls are to be counted (stats is not off). */
extern int stats_on;

/* Count one call of function `row` (an index into the names given to
 * stats_init) with `limbs` limbs of operands; `seconds` is its whole time,
 * device or GMP.  Any thread. */
void stats_count(int row, enum outcome why, size_t limbs, double seconds);

/* names: one per row, static. */
void stats_init(const char *const *names, int rows);

/* Monotonic clock in seconds. */
double stats_clock(void);

#endif
