/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Modular batches by the device's thread. */
#include "lib/operate/batches/modular_run.h"

#include "lib/base/stats.h"
#include "lib/selftest/selftest.h"
#include "lib/session/session.h"

/* For the statistics. */
static double now(void) {
    return stats_on ? stats_clock() : 0;
}

static enum gpu_status counted(enum gpu_status status, double start) {
    stats_times.kernels += now() - start;
    if (status == GPU_OK)
        stats_times.ways[STATS_BATCH]++;
    return status;
}

/* Once more with less memory in the slots. */
static enum gpu_status again(struct context *s, void *context,
                             enum gpu_status (*work)(struct context *s, const void *context)) {
    double start = now();
    enum gpu_status status = work(s, context);
    if (status == GPU_NOMEM) {
        context_trim(s);
        status = work(s, context);
    }
    return counted(status, start);
}

static enum gpu_status operate(struct context *s, const void *context) {
    const struct modular_operation *op = context;
    enum gpu_status status = selftest_modular(s, op->words);
    return status == GPU_OK ? modular_operate(s, op) : status;
}

static enum gpu_status operate_there(struct context *s, void *context) {
    return again(s, context, operate);
}

enum outcome modular_run(const struct modular_operation *asked) {
    struct modular_operation op = *asked;
    if (!modular_fits(&op))
        return OUTCOME_SIZE;
    return session_run(operate_there, &op, sizeof op,
                       (size_t)(op.count * op.words * 4) * sizeof(uint32_t));
}

static enum gpu_status find_known(struct context *s, const void *context) {
    const struct modular_request *r = context;
    enum gpu_status status = selftest_modular(s, r->words);
    return status == GPU_OK ? modular_moduli_compute(s, r) : status;
}

static enum gpu_status find_known_there(struct context *s, void *context) {
    return again(s, context, find_known);
}

enum outcome modular_run_moduli(const struct modular_request *asked) {
    struct modular_request request = *asked;
    if (!modular_is_short(request.words))
        return OUTCOME_SIZE;
    return session_run(find_known_there, &request, sizeof request,
                       (size_t)(request.count * request.words * 4) * sizeof(uint32_t));
}
