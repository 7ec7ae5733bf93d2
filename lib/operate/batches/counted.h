/* SPDX-License-Identifier: LGPL-3.0-or-later
 * An operation on a batch by the device's thread. */
#ifndef MPGPU_COUNTED_H
#define MPGPU_COUNTED_H

#include "lib/device/context.h"

/* `work`, and once more with less memory in the slots where it lacked some.  The statistics count
 * its time, and the operation if it is done. */
enum gpu_status counted_work(struct context *s, const void *context,
                             enum gpu_status (*work)(struct context *s, const void *context));

#endif
