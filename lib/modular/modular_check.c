/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of modular batches (verify:device): a second computation, compared word by word. */
#include "kernels/modular/modular.h"
#include "lib/base/ceil_div.h"
#include "lib/base/log.h"
#include "lib/device/launch.h"
#include "lib/modular/modular.h"
#include "lib/transfer/transfer.h"

enum gpu_status modular_check_prepare(struct context *s, uint64_t words) {
    gpu_mem unused;
    enum gpu_status status = context_buffer(s, SLOT_RESIDUES, sizeof(uint64_t), &unused);
    return status == GPU_OK ? context_buffer(s, SLOT_PART, words * sizeof(uint32_t), &unused)
                            : status;
}

enum gpu_status modular_check_words(struct context *s, uint32_t number_words, gpu_mem r,
                                    gpu_mem again, uint64_t words) {
    gpu_mem answer = s->slot[SLOT_RESIDUES].mem;
    const uint64_t each = (uint64_t)MODULAR_COMPARED * MODULAR_THREADS;
    uint32_t wrong;
    enum gpu_status status = gpu_zero(&s->queue, answer, 0, sizeof wrong);
    if (status == GPU_OK)
        status = launch_modular_compare(s, modular_program(number_words),
                                        launch_row(ceil_div(words, each)), answer, r, again, words);
    if (status == GPU_OK)
        status = transfer_down(s->transfer, &s->queue, &wrong, answer, 0, sizeof wrong);
    if (status != GPU_OK || wrong == 0)
        return status;
    mpgpu_log(LOG_WARNING, "%s: a modular batch with errors, found in %u words by its check",
              s->dev.caps.name, wrong);
    return GPU_FAILED;
}

enum gpu_status modular_check(struct context *s, const struct modular_operation *op) {
    struct modular_operation again = *op;
    uint64_t words = op->count * op->words;
    again.r = s->slot[SLOT_PART].mem;
    enum gpu_status status = modular_compute(s, &again);
    if (status == GPU_OK)
        status = modular_check_words(s, op->words, op->r, again.r, words);
    if (op->kind == MODULAR_KIND_POW_SECURE) {
        enum gpu_status cleared = gpu_zero(&s->queue, again.r, 0, words * sizeof(uint32_t));
        status = status == GPU_OK ? cleared : status;
        if (status == GPU_OK)
            status = gpu_finish(&s->queue);
    }
    return status;
}
