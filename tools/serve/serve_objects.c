/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What clients know by numbers. */
#include "config.h"

#include <stdlib.h>

#include "lib/base/conf.h"
#include "tools/serve/serve.h"

static uint32_t find_free(const struct serve_client *c) {
    uint32_t i = 0;
    while (i < c->objects && c->object[i].kind != OBJECT_NONE)
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

uint64_t serve_objects_add(struct serve_client *c, struct serve_object object) {
    uint32_t i = find_free(c);
    if (i == c->room && !grow(c))
        return 0;
    c->object[i] = object;
    c->objects = i == c->objects ? i + 1 : c->objects;
    return i + UINT64_C(1);
}

struct serve_object *serve_objects_get(const struct serve_client *c, uint64_t number, int kind) {
    if (number - 1 >= c->objects || (int)c->object[number - 1].kind != kind)
        return NULL;
    return &c->object[number - 1];
}

bool serve_objects_memory(const struct serve_client *c, const struct serve_device *d,
                          uint64_t number, gpu_mem *mem) {
    mem->h = 0;
    if (number == 0)
        return true;
    const struct serve_object *o = serve_objects_get(c, number, OBJECT_MEMORY);
    if (!o)
        o = serve_objects_get(c, number, OBJECT_VIEW);
    if (!o || o->device != d)
        return false;
    *mem = o->mem;
    return true;
}

/* Its client is told of a failure when it waits for an event. */
static void finish(struct serve_queue *q) {
    enum gpu_status status = gpu_finish(&(struct gpu_queue){q->device->dev.backend, q->impl});
    if (status != GPU_OK)
        atomic_store(&q->late, status);
}

void serve_objects_finish(const struct serve_client *c, const struct serve_device *d) {
    for (uint32_t i = 0; i < c->objects; i++) {
        const struct serve_object *o = &c->object[i];
        if (o->kind == OBJECT_QUEUE && (!d || o->device == d))
            finish(o->queue);
    }
}

static void release_events(struct serve_client *c) {
    for (unsigned i = 0; i < SERVED_CHANNELS; i++)
        for (unsigned k = 0; k < SERVED_EVENTS; k++)
            if (c->channel[i].event[k].impl)
                c->channel[i].event[k].device->dev.backend->event_release(
                    c->channel[i].event[k].impl);
}

/* What is under way uses memory and host memory: it is waited for first. */
static void close_queues(struct serve_client *c) {
    for (uint32_t i = 0; i < c->objects; i++) {
        if (c->object[i].kind != OBJECT_QUEUE)
            continue;
        struct serve_queue *q = c->object[i].queue;
        serve_queues_put(q->device, q->impl, q->status == GPU_OK);
        free(q);
        c->object[i].kind = OBJECT_NONE;
    }
}

/* ---- device memory */

enum gpu_status serve_objects_alloc(struct serve_client *c, struct serve_device *d, uint64_t bytes,
                                    uint64_t *number) {
    struct serve_object o = {.kind = OBJECT_MEMORY, .device = d, .bytes = bytes};
    enum gpu_status status = serve_buffers_take(d, bytes, &o.mem);
    if (status != GPU_OK)
        return status;
    pthread_rwlock_wrlock(&c->lock);
    *number = serve_objects_add(c, o);
    pthread_rwlock_unlock(&c->lock);
    if (*number == 0) {
        serve_buffers_put(d, o.mem, bytes);
        return GPU_NOMEM;
    }
    atomic_fetch_add(&c->memory, bytes);
    return GPU_OK;
}

/* ---- what a client leaves behind */

static bool is_left_on(const struct serve_object *o, const struct serve_device *d) {
    return o->kind == OBJECT_MEMORY && o->device == d;
}

static bool zero_all(const struct serve_client *c, const struct serve_device *d,
                     const struct serve_object *only, gpu_queue_impl *queue) {
    const struct gpu_queue q = {d->dev.backend, queue};
    enum gpu_status status = GPU_OK;
    for (uint32_t i = 0; i < c->objects && status == GPU_OK; i++)
        if (is_left_on(&c->object[i], d) && (!only || only == &c->object[i]))
            status = d->dev.backend->zero(queue, c->object[i].mem, 0, (size_t)c->object[i].bytes);
    return gpu_finish(&q) == GPU_OK && status == GPU_OK;
}

/* Zeroes the client's memory on a device, or `only` that.  Returns false if it may still have its
 * content: then it is lost to the server, rather than given to the next client. */
static bool clear_on(struct serve_client *c, struct serve_device *d,
                     const struct serve_object *only) {
    gpu_queue_impl *queue;
    bool any = false;
    for (uint32_t i = 0; i < c->objects && !any; i++)
        any = is_left_on(&c->object[i], d);
    if (!any)
        return true;
    bool is_clear = serve_queues_take(d, &queue) == GPU_OK;
    if (is_clear) {
        is_clear = zero_all(c, d, only, queue);
        serve_queues_put(d, queue, is_clear);
    }
    if (!is_clear)
        atomic_store(&d->is_suspect, true);
    return is_clear;
}

static void free_object(struct serve_client *c, struct serve_object *o) {
    serve_objects_finish(c, o->device);
    if (!conf_job().clear || clear_on(c, o->device, o))
        serve_buffers_put(o->device, o->mem, o->bytes);
    atomic_fetch_sub(&c->memory, o->bytes);
    o->kind = OBJECT_NONE;
}

bool serve_objects_free(struct serve_client *c, uint64_t number) {
    pthread_rwlock_wrlock(&c->lock);
    serve_memory_await(c, NULL, 0, number);
    struct serve_object *o = serve_objects_get(c, number, OBJECT_MEMORY);
    if (o)
        free_object(c, o);
    pthread_rwlock_unlock(&c->lock);
    return o != NULL;
}

/* A client that was killed had no time to clear its memory. */
static void release_memory(struct serve_client *c) {
    for (unsigned i = 0; i < serve_own_devices; i++) {
        struct serve_device *d = &serve_device[i];
        bool is_clear = clear_on(c, d, NULL);
        for (uint32_t k = 0; k < c->objects && is_clear; k++)
            if (is_left_on(&c->object[k], d))
                serve_buffers_put(d, c->object[k].mem, c->object[k].bytes);
    }
}

void serve_objects_release(struct serve_client *c) {
    close_queues(c);
    release_events(c);
    release_memory(c);
    free(c->object);
    c->object = NULL;
    c->objects = c->room = 0;
}
