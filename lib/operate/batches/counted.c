/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A whole operation by the device's thread, with its statistics. */
#include "lib/operate/batches/counted.h"

#include "lib/device/room.h"

enum gpu_status counted_work(struct context *s,
                             enum gpu_status (*work)(struct context *s, void *argument),
                             void *argument, enum stats_way way) {
    double start = stats_on ? stats_clock() : 0;
    enum gpu_status status = room_persist(s, work, argument);
    stats_here()->kernels += stats_on ? stats_clock() - start : 0;
    if (status == GPU_OK)
        stats_here()->ways[way]++;
    return status;
}
