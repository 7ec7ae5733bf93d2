/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Expressions by the device's thread, for a thread of the program. */
#include "lib/operate/expression_run.h"

#include "lib/base/stats.h"
#include "lib/session/session.h"

_Static_assert(sizeof(struct expression_operation) <= SESSION_ARGUMENT, "it goes to that thread");

static enum gpu_status operate(struct context *s, const struct expression_operation *op) {
    double start = stats_on ? stats_clock() : 0;
    enum gpu_status status = expression_operate(s, op);
    stats_times.kernels += (stats_on ? stats_clock() : 0) - start;
    if (status == GPU_OK)
        stats_times.ways[STATS_BATCH]++;
    return status;
}

static enum gpu_status run_there(struct context *s, void *context) {
    enum gpu_status status = operate(s, context);
    if (status == GPU_NOMEM) {
        context_trim(s);
        status = operate(s, context);
    }
    return status;
}

/* What the watchdog counts: every node is as long as the longest. */
static size_t bytes_of(const struct expression_operation *op) {
    return (size_t)(op->count * op->words * expression_most_times(&op->e) * op->e.nodes) *
           sizeof(uint32_t);
}

enum outcome expression_run(const struct expression_operation *asked) {
    struct expression_operation op = *asked;
    return expression_fits(&op) ? session_run(run_there, &op, sizeof op, bytes_of(&op))
                                : OUTCOME_SIZE;
}
