/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Devices of other members as a backend: the functions of struct gpu_backend, each of which asks
 * the member.  Each client opens such a device for itself, and each of its channels has a
 * connection. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/error.h"
#include "tools/serve/group/group.h"
#include "tools/serve/group/group_wire.h"

static struct place {
    uint32_t rank;
    unsigned device;
} places[SERVED_DEVICES];

struct gpu_device_impl {
    struct place place;
    uint64_t token[2];     /* of the client that this is there */
    pthread_mutex_t mutex; /* of the links */
    struct group_link *link[SERVED_CHANNELS];
    atomic_bool has_kernel[GPU_KERNELS];
};

struct gpu_queue_impl {
    struct group_link *link;
    uint64_t there;
};

struct gpu_event_impl {
    struct group_link *link;
    unsigned number;
};

#define REQUEST(name, ...) (&(struct served_request){.op = SERVED_##name, .a = {__VA_ARGS__}})

void group_backend_add(unsigned place, uint32_t rank, unsigned device) {
    places[place] = (struct place){rank, device};
}

uint32_t group_backend_rank(unsigned place) {
    return places[place].rank;
}

/* ---- connections */

/* That of the calling thread's channel. */
static struct group_link *link_here(gpu_device_impl *dev) {
    unsigned channel = serve_channel_here();
    pthread_mutex_lock(&dev->mutex);
    if (!dev->link[channel])
        dev->link[channel] =
            group_link_open(dev->place.rank, GROUP_CHANNEL, dev->place.device, channel, dev->token);
    struct group_link *l = dev->link[channel];
    pthread_mutex_unlock(&dev->mutex);
    return l;
}

static enum gpu_status post(struct group_link *l, const struct served_request *request,
                            const void *data, size_t bytes) {
    pthread_mutex_lock(&l->mutex);
    enum gpu_status status = group_link_post(l, request, data, bytes);
    pthread_mutex_unlock(&l->mutex);
    return status;
}

static enum gpu_status call(struct group_link *l, const struct served_request *request,
                            const void *data, size_t bytes, uint64_t *value) {
    if (!l)
        return GPU_FAILED;
    pthread_mutex_lock(&l->mutex);
    enum gpu_status status = group_link_post(l, request, data, bytes);
    if (status == GPU_OK)
        status = group_link_answer(l, value);
    pthread_mutex_unlock(&l->mutex);
    return status;
}

/* ---- the device */

static int member_enumerate(struct gpu_caps *caps, int max) {
    (void)caps, (void)max;
    return 0;
}

/* index: its place in the server's table. */
static enum gpu_status member_open(int index, gpu_device_impl **devp) {
    unsigned channel = serve_channel_here();
    gpu_device_impl *dev = calloc(1, sizeof *dev);
    if (!dev)
        return gpu_fail(GPU_NOMEM, "no host memory");
    dev->place = places[index];
    dev->link[channel] =
        group_link_open(dev->place.rank, GROUP_OPEN, dev->place.device, channel, dev->token);
    if (!dev->link[channel]) {
        free(dev);
        return GPU_FAILED;
    }
    pthread_mutex_init(&dev->mutex, NULL);
    *devp = dev;
    return GPU_OK;
}

static void member_close(gpu_device_impl *dev) {
    for (unsigned i = 0; i < SERVED_CHANNELS; i++)
        if (dev->link[i])
            group_link_close(dev->link[i]);
    pthread_mutex_destroy(&dev->mutex);
    free(dev);
}

static enum gpu_status member_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    memp->h = 0;
    return call(link_here(dev), REQUEST(ALLOC, bytes), NULL, 0, &memp->h);
}

static void member_release(gpu_device_impl *dev, gpu_mem mem) {
    if (mem.h)
        call(link_here(dev), REQUEST(RELEASE, mem.h), NULL, 0, NULL);
}

static gpu_kernel_impl *kernel_of(uint64_t id) {
    return (gpu_kernel_impl *)((uintptr_t)id + 1);
}

static enum gpu_status member_kernel(gpu_device_impl *dev, enum gpu_kernel id,
                                     gpu_kernel_impl **kernelp) {
    enum gpu_status status = GPU_OK;
    if (!atomic_load(&dev->has_kernel[id]))
        status = call(link_here(dev), REQUEST(KERNEL, id), NULL, 0, NULL);
    if (status != GPU_OK)
        return status;
    atomic_store(&dev->has_kernel[id], true);
    *kernelp = kernel_of(id);
    return GPU_OK;
}

static enum gpu_status member_build(gpu_device_impl *dev, const struct gpu_text *text,
                                    gpu_kernel_impl **kernelp) {
    uint64_t id;
    size_t bytes = strlen(text->body) + 1;
    enum gpu_status status =
        call(link_here(dev), REQUEST(BUILD, 0, bytes, text->threads), text->body, bytes, &id);
    if (status == GPU_OK)
        *kernelp = kernel_of(id);
    return status;
}

/* ---- queues */

static enum gpu_status member_queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep) {
    gpu_queue_impl *queue = calloc(1, sizeof *queue);
    if (!queue)
        return gpu_fail(GPU_NOMEM, "no host memory");
    queue->link = link_here(dev);
    enum gpu_status status = call(queue->link, REQUEST(QUEUE_OPEN, 0), NULL, 0, &queue->there);
    if (status == GPU_OK)
        *queuep = queue;
    else
        free(queue);
    return status;
}

static void member_queue_close(gpu_queue_impl *queue) {
    call(queue->link, REQUEST(QUEUE_CLOSE, queue->there), NULL, 0, NULL);
    free(queue);
}

static enum gpu_status member_write(gpu_queue_impl *queue, gpu_mem dst, size_t offset,
                                    const void *src, size_t bytes) {
    return post(queue->link, REQUEST(WRITE, queue->there, dst.h, offset, 0, 0, bytes), src, bytes);
}

static enum gpu_status member_read(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                                   size_t bytes) {
    struct group_link *l = queue->link;
    pthread_mutex_lock(&l->mutex);
    enum gpu_status status =
        group_link_post(l, REQUEST(READ, queue->there, src.h, offset, 0, 0, bytes), NULL, 0);
    if (status == GPU_OK)
        status = group_link_expect(l, dst, bytes);
    pthread_mutex_unlock(&l->mutex);
    return status;
}

static enum gpu_status member_zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset,
                                   size_t bytes) {
    return post(queue->link, REQUEST(ZERO, queue->there, dst.h, offset, bytes), NULL, 0);
}

static enum gpu_status member_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel,
                                     unsigned groups_x, unsigned groups_y,
                                     const struct gpu_arg *args, unsigned nargs) {
    struct served_request request = {
        .op = SERVED_LAUNCH,
        .nargs = nargs,
        .a = {queue->there, (uintptr_t)kernel - 1, groups_x, groups_y}};
    memcpy(request.args, args, nargs * sizeof *args);
    return post(queue->link, &request, NULL, 0);
}

static enum gpu_status member_series(gpu_queue_impl *queue, bool begins) {
    return post(queue->link, REQUEST(SERIES, queue->there, begins), NULL, 0);
}

/* ---- events */

static enum gpu_status member_event_record(gpu_queue_impl *queue, gpu_event_impl **eventp) {
    struct group_link *l = queue->link;
    gpu_event_impl *event = malloc(sizeof *event);
    if (!event)
        return gpu_fail(GPU_NOMEM, "no host memory");
    pthread_mutex_lock(&l->mutex);
    bool has_one = l->events > 0;
    enum gpu_status status = gpu_fail(GPU_NOMEM, "too many events");
    if (has_one) {
        *event = (struct gpu_event_impl){l, l->event[--l->events]};
        status = group_link_post(l, REQUEST(RECORD, queue->there, event->number), NULL, 0);
    }
    if (has_one && status != GPU_OK)
        l->events++;
    pthread_mutex_unlock(&l->mutex);
    if (status == GPU_OK)
        *eventp = event;
    else
        free(event);
    return status;
}

static enum gpu_status member_event_wait(gpu_event_impl *event) {
    return call(event->link, REQUEST(WAIT, event->number), NULL, 0, NULL);
}

static enum gpu_status member_queue_wait(gpu_queue_impl *queue, gpu_event_impl *event) {
    return event->link == queue->link
               ? post(queue->link, REQUEST(QUEUE_WAIT, queue->there, event->number), NULL, 0)
               : member_event_wait(event);
}

static void member_event_release(gpu_event_impl *event) {
    struct group_link *l = event->link;
    pthread_mutex_lock(&l->mutex);
    group_link_post(l, REQUEST(FORGET, event->number), NULL, 0);
    l->event[l->events++] = (uint16_t)event->number;
    pthread_mutex_unlock(&l->mutex);
    free(event);
}

/* ---- the tables: one for each name that profiles know */

#define MEMBER_BACKEND                                                                             \
    .enumerate = member_enumerate, .open = member_open, .close = member_close,                     \
    .alloc = member_alloc, .release = member_release, .queue_open = member_queue_open,             \
    .queue_close = member_queue_close, .write = member_write, .read = member_read,                 \
    .zero = member_zero, .kernel = member_kernel, .build = member_build, .launch = member_launch,  \
    .event_record = member_event_record, .event_wait = member_event_wait,                          \
    .queue_wait = member_queue_wait, .event_release = member_event_release

static const struct gpu_backend tables[] = {
    {.name = "cuda", .series = member_series, MEMBER_BACKEND},
    {.name = "opencl", MEMBER_BACKEND},
};

const struct gpu_backend *group_backend_of(const char *name) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(name, tables[i].name) == 0)
            return &tables[i];
    return NULL;
}
