/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches in series: between series_begin and series_end those that kernels/series/ has are kept
 * back until something else is put into the context's queue, and then go as one.  That is for
 * devices where a launch costs more than the groups' waiting for one another (caps.series). */
#ifndef MPGPU_SERIES_H
#define MPGPU_SERIES_H

#include "lib/device/launch.h"

/* Nobody else of this process has launches in series on the device until series_release.  False:
 * the device has no such thing, or it is another's now. */
bool series_acquire(struct context *s);
void series_release(struct context *s);

/* After series_acquire.  Without memory for it nothing is kept back. */
void series_begin(struct context *s);

/* What has been kept back goes. */
enum gpu_status series_end(struct context *s);

/* After series_end and the answers: whether a group has left before all had come, so that nothing
 * that was made counts.  That is told once. */
bool series_was_left(struct context *s);

/* For lib/device/launch.c: is the launch kept?  Then *status is that of what had to go before. */
bool series_keeps(struct context *s, enum gpu_kernel kernel, struct launch_groups groups,
                  const struct gpu_arg *args, unsigned nargs, enum gpu_status *status);

/* With the context. */
void series_close(struct context *s);

#endif
