/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Waits for the end of a context's commands, and clears its data. */
#include "lib/session/drain.h"

#include "lib/base/conf.h"
#include "lib/device/answers.h"
#include "lib/transfer/transfer.h"

/* Returns true if the server has ended. Its device may still be running commands. */
static bool server_has_ended(const struct context *s) {
    return s->dev.backend && s->dev.backend->is_served && gpu_served_is_lost();
}

bool drain_work(struct context *s) {
    if (server_has_ended(s))
        return false;
    int finished = s->queue.impl ? gpu_finish(&s->queue) : GPU_OK;
    int drained = s->transfer ? transfer_drain(s->transfer) : GPU_OK;
    return finished == GPU_OK && drained == GPU_OK;
}

enum gpu_status drain_and_wipe(struct context *s) {
    if (!conf_job().clear)
        return GPU_OK;
    enum gpu_status status = context_clear(s);
    if (!drain_work(s))
        return GPU_FAILED;
    transfer_wipe(s->transfer);
    answers_wipe(s);
    return status;
}
