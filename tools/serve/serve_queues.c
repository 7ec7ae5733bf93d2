/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Queues that clients have closed are kept for the next: CUDA takes 8 ms to open one. */
#include "config.h"

#include "tools/serve/serve.h"

enum { KEPT = 64, READY = 12 }; /* the latter for three clients with two streams each */

static struct kept {
    struct serve_device *device;
    gpu_queue_impl *queue;
} kept[KEPT];
static int count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Of that device, or NULL: of any. */
static struct kept take_kept(const struct serve_device *d) {
    struct kept taken = {NULL, NULL};
    pthread_mutex_lock(&mutex);
    for (int i = count; i-- > 0 && !taken.queue;) {
        if (!d || kept[i].device == d) {
            taken = kept[i];
            kept[i] = kept[--count];
        }
    }
    pthread_mutex_unlock(&mutex);
    return taken;
}

static bool keep(struct serve_device *d, gpu_queue_impl *queue) {
    pthread_mutex_lock(&mutex);
    bool has_room = count < KEPT;
    if (has_room)
        kept[count++] = (struct kept){d, queue};
    pthread_mutex_unlock(&mutex);
    return has_room;
}

enum gpu_status serve_queues_take(struct serve_device *d, gpu_queue_impl **queue) {
    *queue = take_kept(d).queue;
    return *queue ? GPU_OK : d->dev.backend->queue_open(d->dev.impl, queue);
}

/* A client may have ended in the midst of a series. */
static bool settle(const struct gpu_backend *backend, gpu_queue_impl *queue) {
    bool is_settled = !backend->series || backend->series(queue, false) == GPU_OK;
    return gpu_finish(&(struct gpu_queue){backend, queue}) == GPU_OK && is_settled;
}

void serve_queues_put(struct serve_device *d, gpu_queue_impl *queue, bool is_sound) {
    if (!settle(d->dev.backend, queue) || !is_sound || !keep(d, queue))
        d->dev.backend->queue_close(queue);
}

void serve_queues_close(void) {
    struct kept one;
    while ((one = take_kept(NULL)).queue)
        one.device->dev.backend->queue_close(one.queue);
}

void serve_queues_begin(void) {
    gpu_queue_impl *queue;
    for (unsigned i = 0; i < READY * serve_own_devices; i++) {
        struct serve_device *d = &serve_device[i % serve_own_devices];
        if (d->dev.backend->queue_open(d->dev.impl, &queue) == GPU_OK)
            serve_queues_put(d, queue, true);
    }
}
