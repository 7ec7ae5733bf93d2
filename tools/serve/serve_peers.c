/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies from device to device.  Two devices of this process copy by their backend.  Of devices of
 * two members of a host, the one that copies opens the other's memory: it stays open until that is
 * released. */
#include "config.h"

#include <stdlib.h>
#include <unistd.h>

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

static enum gpu_status open_there(struct serve_client *c, struct serve_device *to,
                                  const struct serve_object *o, gpu_mem *as) {
    struct gpu_ipc_handle handle = {.size = o->bytes};
    struct serve_device *from = o->device;
    enum gpu_status status =
        from->dev.backend->ipc_handle(serve_devices_impl(c, from), o->mem, &handle);
    if (status == GPU_OK)
        status = to->dev.backend->ipc_open(serve_devices_impl(c, to), &handle, as);
    if (status == GPU_OK)
        serve_log(3, "device %d has opened memory of device %d: %llu bytes", to->dev.index,
                  from->dev.index, (unsigned long long)o->bytes);
    return status;
}

/* Memory is the table's that it grows by. */
static enum gpu_status add(struct serve_client *c, struct serve_device *to, uint64_t number,
                           const struct serve_object *o, struct serve_reader **added) {
    struct serve_reader *more =
        c->readers == MOST_READERS ? NULL : realloc(c->reader, (c->readers + 1) * sizeof *more);
    if (!more)
        return gpu_fail(GPU_NOMEM, "no host memory");
    c->reader = more;
    *added = &more[c->readers];
    **added = (struct serve_reader){.source = number, .device = to};
    enum gpu_status status =
        to->is_members || o->device->is_members ? open_there(c, to, o, &(*added)->as) : GPU_OK;
    c->readers += status == GPU_OK;
    return status;
}

static enum gpu_status copy_as(struct serve_queue *q, const struct serve_copy *copy,
                               gpu_device_impl *from, gpu_mem source) {
    return q->device->dev.backend->peer_copy(q->impl, copy->to, copy->to_offset, from, source,
                                             copy->offset, copy->bytes);
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
    enum gpu_status status = r ? GPU_OK : add(c, q->device, copy->source, o, &r);
    if (status != GPU_OK)
        return status;
    status = copy_as(q, copy, serve_devices_impl(c, r->as.h ? q->device : o->device),
                     r->as.h ? r->as : o->mem);
    enum gpu_status noted = note_copy(q, r);
    if (noted != GPU_OK) /* the source may be released before the copy is done */
        gpu_finish(&(struct gpu_queue){.backend = q->device->dev.backend, .impl = q->impl});
    return status == GPU_OK ? noted : status;
}

/* Who releases memory waits for its own device's queues anyway. */
enum gpu_status serve_peers_copy(struct serve_client *c, struct serve_queue *q,
                                 const struct serve_copy *copy) {
    const struct serve_object *o = &c->object[copy->source - 1];
    if (o->device == q->device && o->kind == OBJECT_MEMORY)
        return copy_as(q, copy, serve_devices_impl(c, o->device), o->mem);
    pthread_mutex_lock(&c->reading);
    enum gpu_status status = copy_noted(c, q, copy, o);
    pthread_mutex_unlock(&c->reading);
    return status;
}

/* Not for the whole queue: a device that does not answer later holds up no other. */
static void forget(struct serve_client *c, const struct serve_reader *r) {
    const struct gpu_backend *backend = r->device->dev.backend;
    if (r->done) {
        backend->event_wait(r->done);
        backend->event_release(r->done);
    }
    if (r->as.h)
        backend->ipc_close(serve_devices_impl(c, r->device), r->as);
}

void serve_peers_forget(struct serve_client *c, uint64_t number) {
    for (uint32_t i = c->readers; i-- > 0;) {
        if (number != 0 && c->reader[i].source != number)
            continue;
        forget(c, &c->reader[i]);
        c->reader[i] = c->reader[--c->readers];
    }
    if (number == 0) {
        free(c->reader);
        c->reader = NULL;
    }
}

/* ---- for another member */

enum gpu_status serve_peers_export(struct serve_client *c, uint64_t number,
                                   struct gpu_ipc_handle *handle) {
    struct serve_object *o = serve_objects_get(c, number, OBJECT_MEMORY);
    if (!o || !o->device->dev.backend->ipc_handle)
        return gpu_fail(GPU_ABSENT, "no memory that other processes open");
    o->is_exported = true;
    handle->size = o->bytes;
    return o->device->dev.backend->ipc_handle(serve_devices_impl(c, o->device), o->mem, handle);
}

enum gpu_status serve_peers_import(struct serve_client *c, struct serve_device *d,
                                   const struct gpu_ipc_handle *handle, uint64_t *number) {
    struct serve_object o = {.kind = OBJECT_IMPORT, .device = d, .bytes = handle->size};
    const struct gpu_backend *backend = d->dev.backend;
    enum gpu_status status = backend->ipc_open
                                 ? backend->ipc_open(serve_devices_impl(c, d), handle, &o.mem)
                                 : gpu_fail(GPU_ABSENT, "no memory of other processes");
    if (status != GPU_OK)
        return status;
    *number = serve_objects_add(c, o);
    if (*number)
        return GPU_OK;
    backend->ipc_close(serve_devices_impl(c, d), o.mem);
    return gpu_fail(GPU_NOMEM, "too many objects");
}

bool serve_peers_close(struct serve_client *c, uint64_t number) {
    struct serve_object *o = serve_objects_get(c, number, OBJECT_IMPORT);
    if (!o)
        return false;
    serve_peers_forget(c, number);
    o->device->dev.backend->ipc_close(serve_devices_impl(c, o->device), o->mem);
    o->kind = OBJECT_NONE;
    return true;
}
