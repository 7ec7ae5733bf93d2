/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies from device to device, by their backend. */
#include "config.h"

#include <stdlib.h>

#include "gpu/error.h"
#include "tools/serve/serve.h"

enum { MOST_READERS = 1 << 16 };

static uint32_t bit_of(const struct serve_device *d) {
    return UINT32_C(1) << (d - serve_device);
}

void serve_peers_add(struct serve_device *to, const struct serve_device *from) {
    to->peers |= bit_of(from);
}

bool serve_peers_are(const struct serve_device *to, const struct serve_device *from) {
    return (to->peers & bit_of(from)) != 0;
}

void serve_peers_begin(void) {
    for (unsigned i = 0; i < serve_own_devices; i++)
        for (unsigned k = 0; k < serve_own_devices; k++)
            if (gpu_has_peer(&serve_device[i].dev, &serve_device[k].dev))
                serve_peers_add(&serve_device[i], &serve_device[k]);
}

/* ---- who reads what */

static struct serve_reader *find(struct serve_client *c, const struct serve_device *to,
                                 uint64_t number) {
    for (uint32_t i = 0; i < c->readers; i++)
        if (c->reader[i].source == number && c->reader[i].device == to)
            return &c->reader[i];
    return NULL;
}

/* Memory is the table's that it grows by. */
static enum gpu_status add(struct serve_client *c, struct serve_device *to, uint64_t number,
                           struct serve_reader **added) {
    struct serve_reader *more =
        c->readers == MOST_READERS ? NULL : realloc(c->reader, (c->readers + 1) * sizeof *more);
    if (!more)
        return gpu_fail(GPU_NOMEM, "no host memory");
    c->reader = more;
    *added = &more[c->readers++];
    **added = (struct serve_reader){.source = number, .device = to};
    return GPU_OK;
}

static enum gpu_status copy_from(struct serve_queue *q, const struct serve_copy *copy,
                                 const struct serve_object *o) {
    return q->device->dev.backend->peer_copy(
        q->impl, copy->to, copy->to_offset, o->device->dev.impl, o->mem, copy->offset, copy->bytes);
}

/* The event is that of all the device's copies so far, by whichever queue. */
static enum gpu_status note_copy(struct serve_queue *q, struct serve_reader *r) {
    const struct gpu_backend *backend = q->device->dev.backend;
    gpu_event_impl *done;
    enum gpu_status status = r->done ? backend->queue_wait(q->impl, r->done) : GPU_OK;
    if (status == GPU_OK)
        status = backend->event_record(q->impl, &done);
    if (status != GPU_OK)
        return status;
    if (r->done)
        backend->event_release(r->done);
    r->done = done;
    return GPU_OK;
}

static enum gpu_status copy_noted(struct serve_client *c, struct serve_queue *q,
                                  const struct serve_copy *copy, const struct serve_object *o) {
    struct serve_reader *r = find(c, q->device, copy->source);
    enum gpu_status status = r ? GPU_OK : add(c, q->device, copy->source, &r);
    if (status != GPU_OK)
        return status;
    status = copy_from(q, copy, o);
    enum gpu_status noted = note_copy(q, r);
    if (noted != GPU_OK) /* the source may be released before the copy is done */
        gpu_finish(&(struct gpu_queue){.backend = q->device->dev.backend, .impl = q->impl});
    return status == GPU_OK ? noted : status;
}

/* Who releases memory waits for its own device's queues anyway. */
enum gpu_status serve_peers_copy(struct serve_client *c, struct serve_queue *q,
                                 const struct serve_copy *copy) {
    const struct serve_object *o = &c->object[copy->source - 1];
    if (o->device == q->device)
        return copy_from(q, copy, o);
    pthread_mutex_lock(&c->reading);
    enum gpu_status status = copy_noted(c, q, copy, o);
    pthread_mutex_unlock(&c->reading);
    return status;
}

/* Not for the whole queue: a device that does not answer later holds up no other. */
static void forget(const struct serve_reader *r) {
    const struct gpu_backend *backend = r->device->dev.backend;
    if (r->done) {
        backend->event_wait(r->done);
        backend->event_release(r->done);
    }
}

void serve_peers_forget(struct serve_client *c, uint64_t number) {
    for (uint32_t i = c->readers; i-- > 0;) {
        if (number != 0 && c->reader[i].source != number)
            continue;
        forget(&c->reader[i]);
        c->reader[i] = c->reader[--c->readers];
    }
    if (number == 0) {
        free(c->reader);
        c->reader = NULL;
    }
}
