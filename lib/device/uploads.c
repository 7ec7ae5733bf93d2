/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Delayed uploads of operands. */
#include "lib/device/uploads.h"

#include "lib/base/min.h"
#include "lib/base/stats.h"
#include "lib/transfer/transfer.h"

enum gpu_status uploads_add(struct context *s, struct number x, const void *host) {
    if (s->upload_count == UPLOADS_MOST)
        return GPU_FAILED;
    s->upload[s->upload_count++] = (struct upload){x.mem, x.at, x.words, 0, host, false};
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

/* Returns how many words of an upload must be on the device before x, or the part of x that is in
 * the upload, can be read. Returns 0 if they are there. */
static uint64_t lacking(const struct upload *a, struct number x) {
    if (a->mem.h != x.mem.h || x.at + x.words <= a->at || x.at >= a->at + a->words)
        return 0;
    uint64_t end = min_u64(x.at + x.words - a->at, a->words);
    return a->here < end ? end : 0;
}

bool uploads_lack(const struct context *s, struct number x) {
    for (unsigned i = 0; i < s->upload_count; i++)
        if (lacking(&s->upload[i], x) > 0)
            return true;
    return false;
}

bool uploads_next(struct context *s, struct number x, struct upload *piece) {
    for (unsigned i = 0; i < s->upload_count; i++) {
        struct upload *a = &s->upload[i];
        uint64_t here = a->here, end = lacking(a, x);
        if (end == 0)
            continue;
        a->here = end;
        *piece = (struct upload){a->mem,
                                 a->at + here,
                                 end - here,
                                 0,
                                 (const char *)a->host + here * sizeof(uint32_t),
                                 a->half_begun && end - here == a->words};
        return true;
    }
    return false;
}

enum gpu_status uploads_bring(struct context *s, const struct upload *piece) {
    double begin = stats_now();
    enum gpu_status status =
        transfer_up(s->transfer, &s->queue, piece->mem, piece->at * sizeof(uint32_t), piece->host,
                    (size_t)piece->words * sizeof(uint32_t));
    stats_here()->upload += stats_now() - begin;
    return status;
}

enum gpu_status uploads_begin(struct context *s, const struct upload *piece, bool *is_begun) {
    return transfer_begin_up(s->transfer, piece->mem, piece->at * sizeof(uint32_t), piece->host,
                             (size_t)piece->words * sizeof(uint32_t), is_begun);
}

enum gpu_status uploads_end(struct context *s) {
    return transfer_end_up(s->transfer, &s->queue);
}

enum gpu_status uploads_wait(struct context *s, struct number x) {
    enum gpu_status status = GPU_OK;
    struct upload piece;
    while (status == GPU_OK && uploads_next(s, x, &piece))
        status = uploads_bring(s, &piece);
    return status;
}
