/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Devices of other members as a backend: the functions of struct gpu_backend, each of which asks
 * the member.  Each client opens such a device for itself, and each of its channels has a
 * connection.  What a member of this host has mapped, too, it copies itself. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/error.h"
#include "tools/serve/group/group_impl.h"

static struct group_place places[SERVED_DEVICES];

void group_backend_add(unsigned place, uint32_t rank, unsigned device) {
    places[place] = (struct group_place){rank, device};
}

uint32_t group_backend_rank(unsigned place) {
    return places[place].rank;
}

/* ---- connections */

unsigned group_impl_channel(void) {
    const struct serve_channel *ch = serve_channel_here();
    return ch ? ch->number : 0;
}

/* That of the calling thread's channel. */
struct group_link *group_impl_link(gpu_device_impl *dev) {
    unsigned channel = group_impl_channel();
    pthread_mutex_lock(&dev->mutex);
    if (!dev->link[channel])
        dev->link[channel] =
            group_link_open(dev->place.rank, GROUP_CHANNEL, dev->place.device, channel, dev->token);
    struct group_link *l = dev->link[channel];
    pthread_mutex_unlock(&dev->mutex);
    return l;
}

enum gpu_status group_impl_post(struct group_link *l, const struct served_request *request,
                                const void *data, size_t bytes) {
    pthread_mutex_lock(&l->mutex);
    enum gpu_status status = group_link_post(l, request, data, bytes);
    pthread_mutex_unlock(&l->mutex);
    return status;
}

enum gpu_status group_impl_call(struct group_link *l, const struct served_request *request,
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

static int group_enumerate(struct gpu_caps *caps, int max) {
    (void)caps, (void)max;
    return 0;
}

/* index: its place in the server's table. */
static enum gpu_status group_open(int index, gpu_device_impl **devp) {
    unsigned channel = group_impl_channel();
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
    pthread_mutex_init(&dev->maps, NULL);
    *devp = dev;
    return GPU_OK;
}

static void group_close(gpu_device_impl *dev) {
    for (unsigned i = 0; i < SERVED_CHANNELS; i++)
        if (dev->link[i])
            group_link_close(dev->link[i]);
    pthread_mutex_destroy(&dev->mutex);
    pthread_mutex_destroy(&dev->maps);
    free(dev);
}

static enum gpu_status group_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    memp->h = 0;
    return group_impl_call(group_impl_link(dev), REQUEST(ALLOC, bytes), NULL, 0, &memp->h);
}

static void group_release(gpu_device_impl *dev, gpu_mem mem) {
    if (mem.h)
        group_impl_call(group_impl_link(dev), REQUEST(RELEASE, mem.h), NULL, 0, NULL);
}

/* ---- kernels */

static gpu_kernel_impl *kernel_of(uint64_t id) {
    return (gpu_kernel_impl *)((uintptr_t)id + 1);
}

static enum gpu_status group_kernel(gpu_device_impl *dev, enum gpu_kernel id,
                                    gpu_kernel_impl **kernelp) {
    enum gpu_status status = GPU_OK;
    if (!atomic_load(&dev->has_kernel[id]))
        status = group_impl_call(group_impl_link(dev), REQUEST(KERNEL, id), NULL, 0, NULL);
    if (status != GPU_OK)
        return status;
    atomic_store(&dev->has_kernel[id], true);
    *kernelp = kernel_of(id);
    return GPU_OK;
}

static enum gpu_status group_build(gpu_device_impl *dev, const struct gpu_text *text,
                                   gpu_kernel_impl **kernelp) {
    uint64_t id;
    size_t bytes = strlen(text->body) + 1;
    enum gpu_status status = group_impl_call(
        group_impl_link(dev), REQUEST(BUILD, 0, bytes, text->threads), text->body, bytes, &id);
    if (status == GPU_OK)
        *kernelp = kernel_of(id);
    return status;
}

/* ---- the tables: one for each name that profiles know */

#define GROUP_BACKEND                                                                              \
    .enumerate = group_enumerate, .open = group_open, .close = group_close,                        \
    .host_register = group_host_register, .host_unregister = group_host_unregister,                \
    .host_release = group_host_release, .alloc = group_alloc, .release = group_release,            \
    .queue_open = group_queue_open, .queue_close = group_queue_close, .write = group_write,        \
    .read = group_read, .zero = group_zero, .kernel = group_kernel, .build = group_build,          \
    .launch = group_launch, .event_record = group_event_record, .event_wait = group_event_wait,    \
    .queue_wait = group_queue_wait, .event_release = group_event_release

static const struct gpu_backend tables[] = {
    {.name = "cuda", .series = group_series, GROUP_BACKEND},
    {.name = "opencl", GROUP_BACKEND},
};

const struct gpu_backend *group_backend_of(const char *name) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(name, tables[i].name) == 0)
            return &tables[i];
    return NULL;
}
