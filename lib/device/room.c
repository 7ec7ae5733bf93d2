/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Room for an operation that lacked device memory. */
#include "lib/device/room.h"

#include "lib/device/kept.h"
#include "lib/transfer/transfer.h"

bool room_make(struct context *s) {
    if (gpu_finish(&s->queue) != GPU_OK || transfer_settle(s->transfer) != GPU_OK)
        return false;
    context_trim(s);
    kept_restart(s);
    return true;
}
