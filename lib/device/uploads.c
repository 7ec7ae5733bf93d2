/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operands on their way. */
#include "lib/device/uploads.h"

#include "lib/base/min.h"
#include "lib/base/stats.h"
#include "lib/transfer/transfer.h"

enum gpu_status uploads_add(struct context *s, struct number x, const void *host) {
    if (s->upload_count == UPLOADS_MOST)
        return GPU_FAILED;
    s->upload[s->upload_count++] = (struct upload){x.mem, x.at, x.words, 0, host};
    return GPU_OK;
}

void uploads_forget(struct context *s) {
    s->upload_count = 0;
}

bool uploads_pending(const struct context *s) {
    for (unsigned i = 0; i < s->upload_count; i++)
        if (s->upload[i].here < s->upload[i].words)
            return true;
    return false;
}

/* Words up to `end`. */
static enum gpu_status bring(struct context *s, struct upload *a, uint64_t end) {
    size_t done = a->here * sizeof(uint32_t), bytes = (size_t)(end - a->here) * sizeof(uint32_t);
    size_t at = a->at * sizeof(uint32_t) + done;
    double begin = stats_on ? stats_clock() : 0;
    a->here = end;
    enum gpu_status status =
        transfer_up(s->transfer, &s->queue, a->mem, at, (const char *)a->host + done, bytes);
    stats_times.upload += stats_on ? stats_clock() - begin : 0;
    return status;
}

enum gpu_status uploads_wait(struct context *s, struct number x) {
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < s->upload_count && status == GPU_OK; i++) {
        struct upload *a = &s->upload[i];
        if (a->mem.h != x.mem.h || x.at + x.words <= a->at || x.at >= a->at + a->words)
            continue;
        uint64_t end = min_u64(x.at + x.words - a->at, a->words);
        if (a->here < end)
            status = bring(s, a, end);
    }
    return status;
}
