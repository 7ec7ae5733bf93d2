/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Gcds, inverses and quotients of batches by the device's thread, for a thread of the program. */
#include "lib/operate/batches/euclid_run.h"

#include "lib/operate/batches/counted.h"
#include "lib/operate/batches/kept_run.h"
#include "lib/selftest/selftest.h"
#include "lib/session/session.h"

/* Products are made where moduli are even (lib/modular/euclid_even.c). */
static enum gpu_status selftest(struct context *s, const struct euclid_operation *op) {
    const struct batch_operation product = {.kind = BATCH_PRODUCT, .words = op->words};
    enum gpu_status status = op->has_even ? selftest_batch(s, &product) : GPU_OK;
    return status == GPU_OK ? selftest_euclid(s, op) : status;
}

static enum gpu_status operate(struct context *s, const void *context) {
    const struct euclid_operation *op = context;
    enum gpu_status status = selftest(s, op);
    return status == GPU_OK ? euclid_operate(s, op) : status;
}

static enum gpu_status operate_there(struct context *s, void *context) {
    return counted_work(s, context, operate);
}

enum outcome euclid_run(const struct euclid_operation *op, struct kept *kept) {
    const size_t words = (size_t)op->count * (op->words + op->u_words);
    return kept_run(operate_there, op, sizeof *op, 2 * words * sizeof(uint32_t), kept);
}

/* ---- what there is */

struct request {
    gpu_mem v;
    uint64_t count;
    uint32_t words;
    struct euclid_found found;
};

static enum gpu_status look_there(struct context *s, void *context) {
    struct request *r = context;
    return euclid_look(s, r->v, r->count, r->words, &r->found);
}

enum outcome euclid_run_look(gpu_mem v, uint64_t count, uint32_t words,
                             struct euclid_found *found) {
    struct request r = {.v = v, .count = count, .words = words};
    enum outcome outcome = session_run(look_there, &r, sizeof r, 0);
    *found = r.found;
    return outcome;
}
