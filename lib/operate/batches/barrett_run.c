/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Modular batches by Barrett's reduction by the device's thread. */
#include "lib/operate/batches/barrett_run.h"

#include "lib/operate/batches/counted.h"
#include "lib/operate/batches/kept_run.h"
#include "lib/selftest/selftest.h"

/* Numbers of a step that memory holds beside the operands. */
enum { NUMBERS_EACH = 10 };

static enum gpu_status operate(struct context *s, const void *context) {
    const struct barrett_operation *b = context;
    enum gpu_status status = selftest_barrett(s, b->op.words);
    return status == GPU_OK ? barrett_operate(s, b) : status;
}

static enum gpu_status operate_there(struct context *s, void *context) {
    return counted_work(s, context, operate);
}

/* What the watchdog counts: each product of a power. */
static size_t bytes_of(const struct modular_operation *op) {
    const bool is_power = op->kind == MODULAR_KIND_POW || op->kind == MODULAR_KIND_POW_SECURE;
    const uint64_t products = is_power ? UINT64_C(64) * op->exponent_words : 1;
    return (size_t)(op->count * op->words * NUMBERS_EACH * products) * sizeof(uint32_t);
}

enum outcome barrett_run(const struct barrett_operation *b, struct kept *kept) {
    if (!barrett_takes(b->op.words))
        return OUTCOME_SIZE;
    return kept_run(operate_there, b, sizeof *b, bytes_of(&b->op), kept);
}

static enum gpu_status find(struct context *s, const void *context) {
    const struct modular_request *r = context;
    enum gpu_status status = selftest_barrett(s, r->words);
    if (status == GPU_OK)
        status = selftest_reciprocals(s, r->words);
    return status == GPU_OK ? barrett_moduli_compute(s, r) : status;
}

static enum gpu_status find_there(struct context *s, void *context) {
    return counted_work(s, context, find);
}

enum outcome barrett_run_moduli(const struct modular_request *request, struct kept *kept) {
    if (!barrett_takes(request->words))
        return OUTCOME_SIZE;
    return kept_run(find_there, request, sizeof *request,
                    (size_t)(request->count * request->words * NUMBERS_EACH) * sizeof(uint32_t),
                    kept);
}
