/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the constants that Barrett's reduction needs of each modulus, mainly a reciprocal. Each
 * reciprocal is a quotient, and is checked as one. A second check covers the steps before and after
 * this division. */
#include "kernels/batch/batch.h"
#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/device/kept.h"
#include "lib/device/launch.h"
#include "lib/device/verdict.h"
#include "lib/modular/barrett.h"
#include "lib/modular/euclid_divide.h"
#include "lib/multiply/batch.h"

/* The request, and device buffers for its moduli: shifted moduli, dividends, quotients,
 * remainders. */
struct work {
    const struct modular_request *r;
    gpu_mem high, dividend, quotient, rest;
};

static bool is_checked(void) {
    return mpgpu_conf.verify == VERIFY_DEVICE;
}

/* ---- memory */

static enum gpu_status buffer(struct context *s, enum context_slot slot, const struct work *w,
                              uint64_t words, gpu_mem *mem) {
    return context_buffer(s, slot, w->r->count * words * sizeof(uint32_t), mem);
}

static enum gpu_status prepare(struct context *s, struct work *w) {
    const uint32_t words = w->r->words;
    enum gpu_status status = buffer(s, SLOT_U, w, words, &w->high);
    if (status == GPU_OK)
        status = buffer(s, SLOT_PART, w, 2 * words, &w->dividend);
    if (status == GPU_OK)
        status = buffer(s, SLOT_WINDOW, w, 2 * words, &w->quotient);
    return status == GPU_OK ? buffer(s, SLOT_V, w, words, &w->rest) : status;
}

/* ---- launches */

static uint32_t spans_of(const struct modular_request *r) {
    return (uint32_t)ceil_div(r->words, BATCH_SPAN);
}

/* Returns the size of a launch that has one work-item for each span (BATCH_SPAN words) of a
 * number. */
static struct launch_groups groups_of(const struct modular_request *r) {
    return launch_row(ceil_div(r->count * spans_of(r), BATCH_THREADS));
}

static enum gpu_status normalize(struct context *s, const struct work *w) {
    const struct modular_request *r = w->r;
    return launch_barrett_normalize(s, groups_of(r), r->kinds, w->high, w->dividend, r->m, r->count,
                                    r->words, spans_of(r));
}

static struct euclid_operation division_of(const struct work *w) {
    return (struct euclid_operation){.kind = EUCLID_DIVIDE,
                                     .count = w->r->count,
                                     .words = w->r->words,
                                     .u_words = 2 * w->r->words,
                                     .q = w->quotient,
                                     .r = w->rest,
                                     .u = w->dividend,
                                     .v = w->high};
}

static enum gpu_status divide(struct context *s, const struct work *w) {
    const struct euclid_operation op = division_of(w);
    const struct euclid_part all = {.op = &op, .count = op.count};
    return euclid_divide(s, &all);
}

static enum gpu_status know(struct context *s, const struct work *w) {
    const struct modular_request *r = w->r;
    const uint64_t words = r->count * BARRETT_KNOWN_WORDS(r->words);
    return launch_barrett_know(s, launch_row(ceil_div(words, BATCH_THREADS)), r->known, r->kinds,
                               w->quotient, w->rest, w->high, r->count, r->words);
}

/* Queues the check of the constants and of the quotients, and waits. Must run after `know`, so that
 * it also detects quotients that changed before `know` read them. */
static enum gpu_status check(struct context *s, const struct work *w) {
    const struct modular_request *r = w->r;
    const struct launch_groups groups = groups_of(r);
    const struct euclid_operation op = division_of(w);
    const struct euclid_piece all = {.op = &op, .count = op.count};
    enum gpu_status status = verdict_begin(s);
    if (status == GPU_OK)
        status = kept_result(s, r->known, 0, r->count * BARRETT_KNOWN_WORDS(r->words));
    if (status == GPU_OK)
        status = kept_result(s, r->kinds, 0, 2 * r->count);
    if (status == GPU_OK)
        status = euclid_check(s, &all);
    if (status == GPU_OK)
        status = launch_barrett_check_known(s, groups, verdict_mem(s), verdict_pass(s, groups.x),
                                            r->kinds, w->high, w->dividend, r->known, w->quotient,
                                            w->rest, r->m, r->count, r->words, spans_of(r));
    return status == GPU_OK ? verdict_end(s) : status;
}

enum gpu_status barrett_moduli_compute(struct context *s, const struct modular_request *r) {
    struct work w = {.r = r};
    enum gpu_status status = prepare(s, &w);
    if (status == GPU_OK)
        status = normalize(s, &w);
    if (status == GPU_OK)
        status = divide(s, &w);
    if (status == GPU_OK)
        status = know(s, &w);
    if (status != GPU_OK)
        return status;
    return is_checked() ? check(s, &w) : gpu_finish(&s->queue);
}
