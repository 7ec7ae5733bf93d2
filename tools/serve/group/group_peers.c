/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which devices of one host's members copy from one another.  Drivers say that of the devices of
 * one process only, and containers may keep processes apart.  So each device copies from each other
 * one before programs are told that it does. */
#include "config.h"

#include <string.h>

#include "gpu/error.h"
#include "gpu/served/served_wait.h"
#include "tools/serve/group/group.h"
#include "tools/serve/group/group_table.h"

enum { WORDS = 1 << 12, BYTES = WORDS * 8, MEMORY = 2 << 20 /* a block of the driver's own */ };

/* A device that takes part.  The first half of its memory has its words, the other is to have those
 * of others. */
struct side {
    struct serve_device *d;
    struct gpu_device dev;
    struct gpu_queue queue;
    gpu_mem mem;
    struct gpu_ipc_handle handle;
    uint64_t word[WORDS];
};

static uint32_t rank_of(const struct serve_device *d) {
    return d->is_members ? group_backend_rank((unsigned)(d - serve_device)) : group_table.rank;
}

/* One that copies from itself says so, and can be asked for the rest. */
static bool takes_part(const struct serve_device *d) {
    return serve_peers_are(d, d) && d->dev.backend->ipc_handle && group_is_near(rank_of(d));
}

/* Different ones for each device, and each time. */
static void fill_words(struct side *s) {
    uint64_t x = (uint64_t)served_clock() + (uint64_t)(s->d - serve_device);
    for (int i = 0; i < WORDS; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        s->word[i] = x;
    }
}

static enum gpu_status open_device(struct side *s) {
    s->dev = s->d->dev;
    return s->d->is_members ? s->dev.backend->open((int)(s->d - serve_device), &s->dev.impl)
                            : GPU_OK;
}

static enum gpu_status prepare(struct side *s) {
    fill_words(s);
    enum gpu_status status = open_device(s);
    if (status == GPU_OK)
        status = gpu_queue_open(&s->dev, &s->queue);
    if (status == GPU_OK)
        status = gpu_alloc(&s->dev, MEMORY, &s->mem);
    if (status == GPU_OK)
        status = gpu_write(&s->queue, s->mem, 0, s->word, BYTES);
    if (status == GPU_OK)
        status = gpu_finish(&s->queue);
    s->handle.size = MEMORY;
    return status == GPU_OK ? s->dev.backend->ipc_handle(s->dev.impl, s->mem, &s->handle) : status;
}

/* As far as it was opened. */
static void end(struct side *s) {
    if (s->mem.h)
        gpu_release(&s->dev, s->mem);
    if (s->queue.impl)
        gpu_queue_close(&s->queue);
    if (s->d->is_members && s->dev.impl)
        s->dev.backend->close(s->dev.impl);
}

static enum gpu_status copy(struct side *to, gpu_mem source, uint64_t *word) {
    enum gpu_status status =
        gpu_peer_copy(&to->queue, to->mem, MEMORY / 2, to->dev.impl, source, 0, BYTES);
    if (status == GPU_OK)
        status = gpu_read(&to->queue, word, to->mem, MEMORY / 2, BYTES);
    enum gpu_status finished = gpu_finish(&to->queue);
    return status == GPU_OK ? finished : status;
}

static enum gpu_status try_copy(struct side *to, const struct side *from) {
    static uint64_t word[WORDS];
    gpu_mem source = {0};
    enum gpu_status status = to->dev.backend->ipc_open(to->dev.impl, &from->handle, &source);
    if (status != GPU_OK)
        return status;
    memset(word, 0, sizeof word);
    status = copy(to, source, word);
    to->dev.backend->ipc_close(to->dev.impl, source);
    if (status == GPU_OK && memcmp(word, from->word, BYTES) != 0)
        status = gpu_fail(GPU_FAILED, "other words than these");
    return status;
}

static void try_both(struct side *to, const struct side *from) {
    if (to == from || rank_of(to->d) == rank_of(from->d))
        return;
    enum gpu_status status = try_copy(to, from);
    if (status == GPU_OK)
        serve_peers_add(to->d, from->d);
    serve_log(2, "device %d %s from device %d%s%s", to->d->dev.index,
              status == GPU_OK ? "copies" : "does not copy", from->d->dev.index,
              status == GPU_OK ? "" : ": ", status == GPU_OK ? "" : gpu_error_text());
}

static unsigned find_sides(struct side *side) {
    unsigned count = 0;
    for (unsigned i = 0; i < serve_devices; i++)
        if (takes_part(&serve_device[i]))
            side[count++].d = &serve_device[i];
    return count;
}

void group_peers_find(void) {
    static struct side side[SERVED_DEVICES];
    bool is_ready[SERVED_DEVICES];
    unsigned count = find_sides(side);
    for (unsigned i = 0; i < count && count > 1; i++) {
        is_ready[i] = prepare(&side[i]) == GPU_OK;
        if (!is_ready[i])
            serve_log(2, "device %d: %s", side[i].d->dev.index, gpu_error_text());
    }
    for (unsigned i = 0; i < count && count > 1; i++)
        for (unsigned k = 0; k < count; k++)
            if (is_ready[i] && is_ready[k])
                try_both(&side[i], &side[k]);
    for (unsigned i = 0; i < count && count > 1; i++)
        end(&side[i]);
}
