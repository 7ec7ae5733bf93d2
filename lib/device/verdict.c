/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The verdict of a check of batches: words on the device that each launch of the check changes.
 * Their first values are random. A check begins with the words that the previous check has left on
 * the device. So it costs no command except its launches and one download. */
#include "lib/device/verdict.h"

#include "lib/base/log.h"
#include "lib/base/random.h"
#include "lib/device/kept.h"
#include "lib/transfer/transfer.h"

/* Sets the verdict's words on the device to random values. First waits for the queue, since
 * launches of an abandoned check may still add to these words. */
static enum gpu_status set_first(struct context *s, gpu_mem mem) {
    const uint64_t first = random_word();
    enum gpu_status status = gpu_finish(&s->queue);
    s->verdict.value = (uint32_t)first;
    s->verdict.errors = (uint32_t)(first >> 32);
    return status == GPU_OK ? transfer_up(s->transfer, &s->queue, mem, 0, &first, sizeof first)
                            : status;
}

enum gpu_status verdict_begin(struct context *s) {
    gpu_mem mem;
    enum gpu_status status =
        context_buffer(s, SLOT_VERDICT, (1 + KEPT_ENTRIES) * sizeof(uint64_t), &mem);
    if (status == GPU_OK && !s->slot[SLOT_VERDICT].is_ready)
        status = set_first(s, mem);
    /* Marks the slot as not ready until verdict_end. If the check is abandoned before, the next
     * check calls set_first again. */
    s->slot[SLOT_VERDICT].is_ready = false;
    return status;
}

uint32_t verdict_pass_rows(struct context *s, uint64_t parts, unsigned rows) {
    const uint32_t pass = (uint32_t)random_word() | 1;
    s->verdict.value += pass * (uint32_t)(parts | 1) * rows;
    return pass;
}

uint32_t verdict_pass(struct context *s, uint64_t parts) {
    return verdict_pass_rows(s, parts, 1);
}

/* Returns the value that the verdict's words on the device have after a good check. */
static uint64_t wanted(const struct context *s) {
    return (uint64_t)s->verdict.errors << 32 | s->verdict.value;
}

/* Downloads the verdict's words, and the residues behind them, if there are any
 * (lib/device/kept.h). */
static enum gpu_status fetch(struct context *s, uint64_t *told) {
    uint64_t alone, *to = s->kept ? s->kept->host : &alone;
    const uint64_t entries = s->kept ? s->kept->entries : 0;
    *to = ~wanted(s);
    enum gpu_status status =
        transfer_down(s->transfer, &s->queue, to, verdict_mem(s), 0, (1 + entries) * sizeof *to);
    *told = *to;
    return status;
}

enum gpu_status verdict_end(struct context *s) {
    uint64_t told;
    enum gpu_status status = kept_compare(s);
    if (status == GPU_OK)
        status = fetch(s, &told);
    if (status != GPU_OK)
        return status;
    if (told == wanted(s)) {
        s->slot[SLOT_VERDICT].is_ready = true;
        return s->kept ? kept_coalesce(s) : GPU_OK;
    }
    mpgpu_log(LOG_WARNING, "%s: a batch with errors, found by its check", s->dev.caps.name);
    return GPU_FAILED;
}
