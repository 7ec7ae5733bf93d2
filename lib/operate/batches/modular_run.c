/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Modular batches by the device's thread. */
#include "lib/operate/batches/modular_run.h"

#include "lib/operate/batches/counted.h"
#include "lib/operate/batches/kept_run.h"
#include "lib/selftest/selftest.h"

static enum gpu_status operate(struct context *s, const void *context) {
    const struct modular_operation *op = context;
    enum gpu_status status = selftest_modular(s, op->words);
    return status == GPU_OK ? modular_operate(s, op) : status;
}

static enum gpu_status operate_there(struct context *s, void *context) {
    return counted_work(s, context, operate);
}

enum outcome modular_run(const struct modular_operation *op, struct kept *kept) {
    if (!modular_fits(op))
        return OUTCOME_SIZE;
    return kept_run(operate_there, op, sizeof *op,
                    (size_t)(op->count * op->words * 4) * sizeof(uint32_t), kept);
}

static enum gpu_status find_known(struct context *s, const void *context) {
    const struct modular_request *r = context;
    enum gpu_status status = selftest_modular(s, r->words);
    return status == GPU_OK ? modular_moduli_compute(s, r) : status;
}

static enum gpu_status find_known_there(struct context *s, void *context) {
    return counted_work(s, context, find_known);
}

enum outcome modular_run_moduli(const struct modular_request *request, struct kept *kept) {
    if (!modular_is_short(request->words))
        return OUTCOME_SIZE;
    return kept_run(find_known_there, request, sizeof *request,
                    (size_t)(request->count * request->words * 4) * sizeof(uint32_t), kept);
}
