/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Device memory of clients, which refer to it by numbers. */
#include "config.h"

#include <poll.h>
#include <stdlib.h>

#include "gpu/error.h"
#include "lib/base/conf.h"
#include "tools/serve/serve.h"

static uint32_t find_free(const struct serve_client *c) {
    uint32_t i = 0;
    while (i < c->objects && c->object[i].device)
        i++;
    return i;
}

static bool grow(struct serve_client *c) {
    uint32_t room = c->room ? 2 * c->room : 64;
    struct serve_object *object =
        room > SERVE_OBJECTS ? NULL : realloc(c->object, room * sizeof *object);
    if (!object)
        return false;
    c->object = object;
    c->room = room;
    return true;
}

/* Adds an object.  Returns its number, or 0 if there are too many.  The caller holds the client's
 * lock for writing. */
static uint64_t add(struct serve_client *c, struct serve_object object) {
    uint32_t i = find_free(c);
    if (i == c->room && !grow(c))
        return 0;
    c->object[i] = object;
    c->objects = i == c->objects ? i + 1 : c->objects;
    return i + UINT64_C(1);
}

struct serve_object *serve_objects_get(const struct serve_client *c, uint64_t number) {
    return number - 1 < c->objects && c->object[number - 1].device ? &c->object[number - 1] : NULL;
}

/* ---- device memory */

enum gpu_status serve_objects_alloc(struct serve_client *c, struct serve_device *d, uint64_t bytes,
                                    bool is_shared, uint64_t *number) {
    struct serve_object o = {.device = d, .bytes = bytes, .is_shared = is_shared};
    enum gpu_status status = serve_buffers_take(d, bytes, is_shared, &o.mem);
    if (status != GPU_OK)
        return status;
    pthread_rwlock_wrlock(&c->lock);
    *number = add(c, o);
    pthread_rwlock_unlock(&c->lock);
    if (*number == 0) {
        serve_buffers_put(d, o.mem, bytes, is_shared);
        return GPU_NOMEM;
    }
    atomic_fetch_add(&c->memory, bytes);
    return GPU_OK;
}

int serve_objects_share(struct serve_client *c, uint64_t number) {
    int file = -1;
    pthread_rwlock_rdlock(&c->lock);
    const struct serve_object *o = serve_objects_get(c, number);
    if (o && o->is_shared)
        o->device->dev.backend->share(o->device->dev.impl, o->mem, &file);
    else
        gpu_fail(GPU_FAILED, "no shared memory has this number");
    pthread_rwlock_unlock(&c->lock);
    return file;
}

/* ---- its end */

/* Clears the object's memory.  If that fails, returns false: the memory is then never used again,
 * because the next client could read its content. */
static bool zero(struct serve_object *o) {
    struct gpu_queue queue;
    if (gpu_queue_open(&o->device->dev, &queue) != GPU_OK)
        return false;
    enum gpu_status status = gpu_zero(&queue, o->mem, 0, (size_t)o->bytes);
    status = gpu_finish(&queue) == GPU_OK ? status : GPU_FAILED;
    gpu_queue_close(&queue);
    if (status != GPU_OK)
        atomic_store(&o->device->is_suspect, true);
    return status == GPU_OK;
}

static void free_object(struct serve_client *c, struct serve_object *o, bool is_cleared) {
    if (!is_cleared || zero(o))
        serve_buffers_put(o->device, o->mem, o->bytes, o->is_shared);
    atomic_fetch_sub(&c->memory, o->bytes);
    o->device = NULL;
}

bool serve_objects_free(struct serve_client *c, uint64_t number) {
    pthread_rwlock_wrlock(&c->lock);
    serve_memory_await(c, NULL, 0, number);
    struct serve_object *o = serve_objects_get(c, number);
    if (o)
        free_object(c, o, conf_job().clear);
    pthread_rwlock_unlock(&c->lock);
    return o != NULL;
}

/* Returns true if the client's process may still run: a client can disconnect without ending. */
static bool may_live(const struct serve_client *c) {
    return c->process < 0 || poll(&(struct pollfd){.fd = c->process, .events = POLLIN}, 1, 0) == 0;
}

/* Clears and frees all device memory of a client that has ended, even without the option `clear`,
 * because a killed client could not do so itself.  Does not clear shared memory that the client's
 * process may still use. */
void serve_objects_release(struct serve_client *c) {
    const bool may_use = may_live(c);
    for (uint32_t i = 0; i < c->objects; i++)
        if (c->object[i].device)
            free_object(c, &c->object[i], !c->object[i].is_shared || !may_use);
    free(c->object);
    c->object = NULL;
    c->objects = c->room = 0;
}
