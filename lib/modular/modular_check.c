/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks modular batches (verify:device). A kernel stores the residues of the numbers that it
 * computes with (kernels/modular/traced.h), and each number in memory must have the stored residue.
 * The moduli's constants are checked by properties that only the right constants have. */
#include "kernels/batch/batch.h"
#include "kernels/check/residue.h"
#include "kernels/modular/modular.h"
#include "lib/base/ceil_div.h"
#include "lib/base/random.h"
#include "lib/device/kept.h"
#include "lib/device/launch.h"
#include "lib/device/tables.h"
#include "lib/device/verdict.h"
#include "lib/modular/modular.h"

_Static_assert(MODULAR_MOST_EXPONENT_WORDS <= RESIDUE_SPANS * BATCH_CHECK_SPAN,
               "the table can do it");

/* ---- moduli */

enum gpu_status modular_check_known(struct context *s, const struct modular_request *r) {
    enum gpu_status status = verdict_begin(s);
    if (status == GPU_OK)
        status = kept_result(s, r->known, 0, r->count * MODULAR_KNOWN_WORDS(r->words));
    if (status == GPU_OK)
        status = kept_result(s, r->kinds, 0, 2 * r->count);
    if (status == GPU_OK)
        status = launch_modular_check_known(s, modular_program(r->words),
                                            modular_groups(r->count, r->words), verdict_mem(s),
                                            verdict_pass(s, r->count), r->known, r->kinds, r->m,
                                            r->count, r->words, modular_rows(r->words));
    return status == GPU_OK ? verdict_end(s) : status;
}

/* ---- operations */

static uint64_t bytes_of_record(const struct modular_operation *op) {
    return MODULAR_RECORDS * op->count * sizeof(uint64_t);
}

enum gpu_status modular_check_prepare(struct context *s, struct modular_operation *op) {
    gpu_mem unused;
    enum gpu_status status = tables_get(s, &unused);
    op->nonce = random_word();
    if (status == GPU_OK)
        status = context_buffer(s, SLOT_PART, bytes_of_record(op), &op->record);
    return status == GPU_OK ? gpu_zero(&s->queue, op->record, 0, bytes_of_record(op)) : status;
}

/* One operand or result. The check compares its residues with the residues that the kernel has
 * stored in op->record. If is_one, the whole batch shares one number. Results must also be below
 * their moduli. */
struct numbers {
    gpu_mem x;
    bool is_one;
    uint32_t words, kind, scale_at;
};

static enum gpu_status check_numbers(struct context *s, const struct modular_operation *op,
                                     struct numbers n) {
    const uint32_t spans = (uint32_t)ceil_div(n.words, BATCH_CHECK_SPAN);
    const uint32_t items = spans < BATCH_THREADS ? spans : BATCH_THREADS;
    const uint32_t each = BATCH_THREADS / items;
    const struct launch_groups groups = launch_row(ceil_div(op->count, each));
    return launch_batch_check_traced(
        s, groups, verdict_mem(s), verdict_pass(s, groups.x), op->record, n.kind * op->count,
        n.scale_at, n.x, n.is_one ? 0 : n.words, op->moduli.m, op->moduli.is_one ? 0 : op->words,
        n.kind == MODULAR_OF_RESULT, op->count, n.words, items, each, s->slot[SLOT_TABLES].mem,
        tables_residue_at(), op->nonce);
}

/* Queues the check of an operation's results. For powers also checks that bases, moduli and
 * exponents have not changed. op->record has the residue of 2^64 x / R for a number x, where R =
 * 2^(32 * rows); for an exponent it has the residue of the exponent itself. */
static enum gpu_status check_all(struct context *s, const struct modular_operation *op) {
    const uint32_t by_r = RESIDUE_POWERS + modular_rows(op->words) / RESIDUE_VECTOR;
    const struct numbers numbers[MODULAR_RECORDS] = {
        {op->r, false, op->words, MODULAR_OF_RESULT, by_r},
        {op->u, false, op->words, MODULAR_OF_BASE, by_r},
        {op->moduli.m, op->moduli.is_one, op->words, MODULAR_OF_MODULUS, by_r},
        {op->v, op->is_one_exponent, op->exponent_words, MODULAR_OF_EXPONENT, RESIDUE_HIGH}};
    const bool is_power = op->kind == MODULAR_KIND_POW || op->kind == MODULAR_KIND_POW_SECURE;
    enum gpu_status status = verdict_begin(s);
    if (status == GPU_OK)
        status = kept_result(s, op->r, 0, op->count * op->words);
    for (unsigned k = 0; k < (is_power ? MODULAR_RECORDS : 1) && status == GPU_OK; k++)
        status = check_numbers(s, op, numbers[k]);
    return status;
}

enum gpu_status modular_check(struct context *s, const struct modular_operation *op) {
    enum gpu_status status = check_all(s, op);
    if (op->kind == MODULAR_KIND_POW_SECURE) {
        enum gpu_status cleared = gpu_zero(&s->queue, op->record, 0, bytes_of_record(op));
        status = status == GPU_OK ? cleared : status;
    }
    return status == GPU_OK ? verdict_end(s) : status;
}
