/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Frees memory for an operation that lacked device memory. */
#include "lib/device/retry.h"

#include "lib/device/kept.h"
#include "lib/transfer/transfer.h"

enum { RETRY_TIGHT = 3 }; /* the last attempt plans with 1 / 2^RETRY_TIGHT of the memory */

bool retry_release(struct context *s) {
    if (gpu_finish(&s->queue) != GPU_OK || transfer_drain(s->transfer) != GPU_OK)
        return false;
    context_trim(s);
    kept_restart(s);
    return true;
}

enum gpu_status retry_with_less(struct context *s,
                                enum gpu_status (*work)(struct context *s, void *argument),
                                void *argument) {
    enum gpu_status status = work(s, argument);
    for (int tight = 0; tight <= RETRY_TIGHT && status == GPU_NOMEM && retry_release(s);
         tight += RETRY_TIGHT) {
        s->tight = tight;
        status = work(s, argument);
    }
    s->tight = 0;
    return status;
}
