/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What Barrett's reduction knows of moduli: reciprocals, which have a check; what is around these
 * is made twice and compared. */
#include "kernels/batch/batch.h"
#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/device/launch.h"
#include "lib/modular/barrett.h"
#include "lib/modular/barrett_newton.h"
#include "lib/multiply/batch.h"

/* What is made of the moduli. */
struct found {
    gpu_mem kinds, high, dividend, known;
};

struct work {
    const struct modular_request *r;
    struct found found, again;
    gpu_mem quotient, rest;
};

static bool is_checked(void) {
    return mpgpu_conf.verify == VERIFY_DEVICE;
}

/* ---- memory */

static enum gpu_status buffer(struct context *s, enum context_slot slot, const struct work *w,
                              uint64_t words, gpu_mem *mem) {
    return context_buffer(s, slot, w->r->count * words * sizeof(uint32_t), mem);
}

static enum gpu_status prepare_again(struct context *s, struct work *w) {
    const uint32_t words = w->r->words;
    gpu_mem unused;
    enum gpu_status status = context_buffer(s, SLOT_RESIDUES, sizeof(uint64_t), &unused);
    if (status == GPU_OK)
        status = buffer(s, SLOT_FFT, w, 2, &w->again.kinds);
    if (status == GPU_OK)
        status = buffer(s, SLOT_R, w, words, &w->again.high);
    if (status == GPU_OK)
        status = buffer(s, SLOT_ADDEND, w, 2 * words, &w->again.dividend);
    return status == GPU_OK
               ? buffer(s, SLOT_EXPRESSION + 1, w, BARRETT_KNOWN_WORDS(words), &w->again.known)
               : status;
}

static enum gpu_status prepare(struct context *s, struct work *w) {
    const uint32_t words = w->r->words;
    w->found.kinds = w->r->kinds;
    w->found.known = w->r->known;
    enum gpu_status status = buffer(s, SLOT_U, w, words, &w->found.high);
    if (status == GPU_OK)
        status = buffer(s, SLOT_PART, w, 2 * words, &w->found.dividend);
    if (status == GPU_OK)
        status = buffer(s, SLOT_WINDOW, w, 2 * words, &w->quotient);
    if (status == GPU_OK)
        status = buffer(s, SLOT_V, w, words, &w->rest);
    return status == GPU_OK && is_checked() ? prepare_again(s, w) : status;
}

/* ---- launches */

static enum gpu_status normalize(struct context *s, const struct work *w, const struct found *f) {
    const struct modular_request *r = w->r;
    const uint32_t spans = (uint32_t)ceil_div(r->words, BATCH_SPAN);
    return launch_barrett_normalize(s, launch_row(ceil_div(r->count * spans, BATCH_THREADS)),
                                    f->kinds, f->high, f->dividend, r->m, r->count, r->words,
                                    spans);
}

static enum gpu_status divide(struct context *s, const struct work *w) {
    const struct euclid_operation op = {.kind = EUCLID_DIVIDE,
                                        .count = w->r->count,
                                        .words = w->r->words,
                                        .u_words = 2 * w->r->words,
                                        .q = w->quotient,
                                        .r = w->rest,
                                        .u = w->found.dividend,
                                        .v = w->found.high};
    return barrett_reciprocals(s, &op);
}

static enum gpu_status know(struct context *s, const struct work *w, const struct found *f) {
    const struct modular_request *r = w->r;
    const uint64_t words = r->count * BARRETT_KNOWN_WORDS(r->words);
    return launch_barrett_know(s, launch_row(ceil_div(words, BATCH_THREADS)), f->known, f->kinds,
                               w->quotient, w->rest, f->high, r->count, r->words);
}

/* ---- the check */

static enum gpu_status compare(struct context *s, const struct work *w, gpu_mem x, gpu_mem y,
                               uint32_t words) {
    const struct batch_operation same = {.kind = BATCH_RESIZE,
                                         .count = w->r->count,
                                         .words = words,
                                         .result_words = words,
                                         .r = x,
                                         .term = {y}};
    return batch_check_add(s, &same);
}

static enum gpu_status find_again(struct context *s, const struct work *w) {
    const uint32_t words = w->r->words;
    enum gpu_status status = gpu_zero(&s->queue, s->slot[SLOT_RESIDUES].mem, 0, sizeof(uint32_t));
    if (status == GPU_OK)
        status = normalize(s, w, &w->again);
    if (status == GPU_OK)
        status = know(s, w, &w->again);
    if (status == GPU_OK)
        status = compare(s, w, w->found.kinds, w->again.kinds, 2);
    if (status == GPU_OK)
        status = compare(s, w, w->found.high, w->again.high, words);
    if (status == GPU_OK)
        status = compare(s, w, w->found.dividend, w->again.dividend, 2 * words);
    if (status == GPU_OK)
        status = compare(s, w, w->found.known, w->again.known, BARRETT_KNOWN_WORDS(words));
    return status == GPU_OK ? batch_check_end(s) : status;
}

enum gpu_status barrett_moduli_compute(struct context *s, const struct modular_request *r) {
    struct work w = {.r = r};
    enum gpu_status status = prepare(s, &w);
    if (status == GPU_OK)
        status = normalize(s, &w, &w.found);
    if (status == GPU_OK)
        status = divide(s, &w);
    if (status == GPU_OK)
        status = know(s, &w, &w.found);
    if (status != GPU_OK)
        return status;
    return is_checked() ? find_again(s, &w) : gpu_finish(&s->queue);
}
