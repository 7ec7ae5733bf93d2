/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A whole operation by the device's thread, with its statistics. */
#include "lib/operate/batches/counted.h"

#include "lib/device/room.h"

enum gpu_status counted_work(struct context *s, const void *context,
                             enum gpu_status (*work)(struct context *s, const void *context),
                             enum stats_way way) {
    double start = stats_on ? stats_clock() : 0;
    enum gpu_status status = work(s, context);
    if (status == GPU_NOMEM && room_make(s))
        status = work(s, context);
    stats_here()->kernels += stats_on ? stats_clock() - start : 0;
    if (status == GPU_OK)
        stats_here()->ways[way]++;
    return status;
}
