/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Statistics: a row a function, printed at exit when `stats` asks for it. */
#ifndef MPGPU_STATS_H
#define MPGPU_STATS_H

#include <stddef.h>
#include "why.h"

/* Seconds that the last operation of this thread spent in its parts; filled by
 * lib/ while it works, read by stats_count. */
struct stats_times {
    double upload, kernels, download;
};
extern _Thread_local struct stats_times stats_times;

/* Add to this thread's what another has spent for it. */
void stats_add(const struct stats_times *times);

/* Nonzero if calls are to be counted (stats is not off). */
extern int stats_on;

/* Count one call of function `row` (an index into the names given to
 * stats_init) with `limbs` limbs of operands; `seconds` is its whole time,
 * device or GMP.  Any thread. */
void stats_count(int row, enum mpgpu_why why, size_t limbs, double seconds);

/* names: one per row, static. */
void stats_init(const char *const *names, int rows);

/* The report, as mpgpu_conf.stats asks (nothing if off); `device` is a line
 * about the device, or NULL. Only the first call prints. */
void stats_report(const char *device);

/* Monotonic clock in seconds. */
double stats_clock(void);

#endif
