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

enum gpu_status serve_peers_source(struct serve_client *c, struct serve_device *to, uint64_t number,
                                   gpu_device_impl **from, gpu_mem *mem) {
    const struct serve_object *o = &c->object[number - 1];
    enum gpu_status status = GPU_OK;
    *from = serve_devices_impl(c, o->device);
    *mem = o->mem;
    if (o->device == to)
        return GPU_OK;
    pthread_mutex_lock(&c->reading);
    struct serve_reader *reader = find(c, to, number);
    if (!reader)
        status = add(c, to, number, o, &reader);
    if (status == GPU_OK && reader->as.h) {
        *from = serve_devices_impl(c, to);
        *mem = reader->as;
    }
    pthread_mutex_unlock(&c->reading);
    return status;
}

static void forget(struct serve_client *c, const struct serve_reader *r) {
    serve_objects_finish(c, r->device);
    if (r->as.h)
        r->device->dev.backend->ipc_close(serve_devices_impl(c, r->device), r->as);
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
    serve_objects_finish(c, o->device);
    o->device->dev.backend->ipc_close(serve_devices_impl(c, o->device), o->mem);
    o->kind = OBJECT_NONE;
    return true;
}
