/* SPDX-License-Identifier: LGPL-3.0-or-later
 * An operation on a batch by the device's thread. */
#include "lib/operate/batches/counted.h"

#include "lib/base/stats.h"
#include "lib/device/room.h"

enum gpu_status counted_work(struct context *s, const void *context,
                             enum gpu_status (*work)(struct context *s, const void *context)) {
    double start = stats_on ? stats_clock() : 0;
    enum gpu_status status = work(s, context);
    if (status == GPU_NOMEM && room_make(s))
        status = work(s, context);
    stats_here()->kernels += stats_on ? stats_clock() - start : 0;
    if (status == GPU_OK)
        stats_here()->ways[STATS_BATCH]++;
    return status;
}
