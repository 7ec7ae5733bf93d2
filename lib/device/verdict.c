/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The verdict of a check of batches.  The word on the device goes on from one check to the next, so
 * that a check costs no command beside its launches and one download.  Its first value is random.
 */
#include "lib/device/verdict.h"

#include "lib/base/log.h"
#include "lib/base/random.h"
#include "lib/device/kept.h"
#include "lib/transfer/transfer.h"

/* Launches of a check that was given up may still add to the word. */
static enum gpu_status set_first(struct context *s, gpu_mem mem) {
    const uint32_t first = (uint32_t)random_word();
    enum gpu_status status = gpu_finish(&s->queue);
    s->verdict.value = first;
    return status == GPU_OK ? transfer_up(s->transfer, &s->queue, mem, 0, &first, sizeof first)
                            : status;
}

enum gpu_status verdict_begin(struct context *s) {
    gpu_mem mem;
    enum gpu_status status =
        context_buffer(s, SLOT_VERDICT, (1 + KEPT_ENTRIES) * sizeof(uint64_t), &mem);
    if (status == GPU_OK && !s->verdict.is_known)
        status = set_first(s, mem);
    s->verdict.is_known = false; /* until the end: what is begun may be given up */
    return status;
}

uint32_t verdict_pass(struct context *s, uint64_t parts) {
    const uint32_t pass = (uint32_t)random_word() | 1;
    s->verdict.value += pass * (uint32_t)parts;
    return pass;
}

/* The word, and behind it the entries of residues, if there are some. */
static enum gpu_status fetch(struct context *s, uint32_t *told) {
    uint64_t alone, *to = s->kept ? s->kept->host : &alone;
    const uint64_t entries = s->kept ? s->kept->entries : 0;
    *to = (uint32_t)~s->verdict.value;
    enum gpu_status status =
        transfer_down(s->transfer, &s->queue, to, verdict_mem(s), 0, (1 + entries) * sizeof *to);
    *told = (uint32_t)*to;
    return status;
}

enum gpu_status verdict_end(struct context *s) {
    uint32_t told;
    enum gpu_status status = kept_compare(s);
    if (status == GPU_OK)
        status = fetch(s, &told);
    if (status != GPU_OK)
        return status;
    if (told == s->verdict.value) {
        s->verdict.is_known = true;
        return s->kept ? kept_gather(s) : GPU_OK;
    }
    mpgpu_log(LOG_WARNING, "%s: a batch with errors, found by its check", s->dev.caps.name);
    return GPU_FAILED;
}
