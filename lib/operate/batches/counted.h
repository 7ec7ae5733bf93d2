/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A whole operation by the device's thread, with its statistics. */
#ifndef MPGPU_COUNTED_H
#define MPGPU_COUNTED_H

#include "lib/base/stats.h"
#include "lib/device/context.h"

/* Calls room_persist(s, work, argument).  The statistics count its time, and the operation by `way`
 * if it is done. */
enum gpu_status counted_work(struct context *s,
                             enum gpu_status (*work)(struct context *s, void *argument),
                             void *argument, enum stats_way way);

#endif
