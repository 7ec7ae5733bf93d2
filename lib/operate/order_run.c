/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Comparison and selection in batches, by the device's thread. */
#include "lib/operate/order_run.h"

#include "lib/base/stats.h"
#include "lib/selftest/selftest_order.h"
#include "lib/session/session.h"

static enum gpu_status run_there(struct context *s, void *context) {
    double start = stats_on ? stats_clock() : 0;
    enum gpu_status status = selftest_order(s);
    if (status == GPU_OK)
        status = batch_order_operate(s, context);
    stats_times.kernels += (stats_on ? stats_clock() : 0) - start;
    return status;
}

enum outcome order_run(const struct batch_order *asked) {
    struct batch_order op = *asked;
    return session_run(run_there, &op, sizeof op,
                       (size_t)op.count * op.words * 3 * sizeof(uint32_t));
}
