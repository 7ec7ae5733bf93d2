/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The link alone: the bytes of an operation, from and to page-locked memory. */
#include <stdlib.h>
#include <string.h>

#include "lib/session/session.h"
#include "tools/bench/bench_device.h"

/* Page-locked memory is one block of at most so many bytes, used repeatedly. */
enum { MOST_BYTES = 128 << 20 };

struct bench_link {
    size_t up, down; /* bytes each way */
    size_t block;
    void *host;
    gpu_mem device;
};

struct request {
    struct bench_link *link;
    int times;
};

static int ask(enum gpu_status (*step)(struct context *s, void *context), struct bench_link *link,
               int times) {
    struct request request = {link, times};
    return session_run(step, &request, sizeof request, SIZE_MAX / 2) != OUTCOME_DONE;
}

static enum gpu_status open_there(struct context *s, void *context) {
    struct bench_link *link = ((struct request *)context)->link;
    enum gpu_status status = s->dev.backend->host_alloc(s->dev.impl, link->block, &link->host);
    if (status != GPU_OK)
        return status;
    memset(link->host, 1, link->block);
    return gpu_alloc(&s->dev, link->block, &link->device);
}

static enum gpu_status close_there(struct context *s, void *context) {
    struct bench_link *link = ((struct request *)context)->link;
    if (link->device.h)
        gpu_release(&s->dev, link->device);
    if (link->host)
        s->dev.backend->host_release(s->dev.impl, link->host);
    return GPU_OK;
}

struct bench_link *bench_link_open(const struct bench_work *w) {
    struct bench_link *link = calloc(1, sizeof *link);
    if (!link)
        return NULL;
    link->up = (w->un + (w->up == w->vp ? 0 : w->vn)) * sizeof(mp_limb_t);
    link->down = w->rn * sizeof(mp_limb_t);
    link->block = link->up > link->down ? link->up : link->down;
    link->block = link->block < MOST_BYTES ? link->block : MOST_BYTES;
    if (ask(open_there, link, 0) == 0)
        return link;
    bench_link_close(link);
    return NULL;
}

void bench_link_close(struct bench_link *link) {
    if (link)
        ask(close_there, link, 0);
    free(link);
}

static enum gpu_status up_and_down(struct context *s, const struct bench_link *link) {
    enum gpu_status status = GPU_OK;
    for (size_t left = link->up, bytes; left > 0 && status == GPU_OK; left -= bytes) {
        bytes = left < link->block ? left : link->block;
        status = gpu_write(&s->queue, link->device, 0, link->host, bytes);
    }
    for (size_t left = link->down, bytes; left > 0 && status == GPU_OK; left -= bytes) {
        bytes = left < link->block ? left : link->block;
        status = gpu_read(&s->queue, link->host, link->device, 0, bytes);
    }
    return status;
}

static enum gpu_status run_there(struct context *s, void *context) {
    const struct request *request = context;
    enum gpu_status status = GPU_OK;
    for (int i = 0; i < request->times && status == GPU_OK; i++)
        status = up_and_down(s, request->link);
    return status ? status : gpu_finish(&s->queue);
}

int bench_link_run(struct bench_link *link, int times) {
    return ask(run_there, link, times);
}
