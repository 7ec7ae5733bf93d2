/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Frees memory for an operation that lacked device memory. */
#include "lib/device/room.h"

#include "lib/device/kept.h"
#include "lib/transfer/transfer.h"

enum { ROOM_TIGHT = 3 }; /* the last attempt uses plans for 2^-ROOM_TIGHT of the memory */

bool room_make(struct context *s) {
    if (gpu_finish(&s->queue) != GPU_OK || transfer_settle(s->transfer) != GPU_OK)
        return false;
    context_trim(s);
    kept_restart(s);
    return true;
}

enum gpu_status room_persist(struct context *s,
                             enum gpu_status (*work)(struct context *s, void *argument),
                             void *argument) {
    enum gpu_status status = work(s, argument);
    for (int tight = 0; tight <= ROOM_TIGHT && status == GPU_NOMEM && room_make(s);
         tight += ROOM_TIGHT) {
        s->tight = tight;
        status = work(s, argument);
    }
    s->tight = 0;
    return status;
}
