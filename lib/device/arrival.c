/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operands on their way. */
#include "lib/device/arrival.h"
#include "lib/base/stats.h"
#include "lib/transfer/transfer.h"

void arrival_expect(struct session *s, struct number x, const void *host) {
    s->arrival[s->arrivals++] = (struct session_arrival){x.mem, x.words, 0, host};
}

void arrival_forget(struct session *s) {
    s->arrivals = 0;
}

int arrival_pending(const struct session *s) {
    for (unsigned i = 0; i < s->arrivals; i++)
        if (s->arrival[i].here < s->arrival[i].words)
            return 1;
    return 0;
}

/* Words up to `end`. */
static int bring(struct session *s, struct session_arrival *a, uint64_t end) {
    size_t at = a->here * sizeof(uint32_t), bytes = (size_t)(end - a->here) * sizeof(uint32_t);
    double begin = stats_on ? stats_clock() : 0;
    a->here = end;
    int status = transfer_up(s->transfer, &s->queue, a->mem, at, (const char *)a->host + at, bytes);
    stats_times.upload += stats_on ? stats_clock() - begin : 0;
    return status;
}

int arrival_await(struct session *s, struct number x) {
    for (unsigned i = 0; i < s->arrivals; i++) {
        struct session_arrival *a = &s->arrival[i];
        uint64_t end = x.at + x.words < a->words ? x.at + x.words : a->words;
        if (a->mem.h == x.mem.h && a->here < end)
            return bring(s, a, end);
    }
    return GPU_OK;
}
