/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Queues that clients have closed are kept for the next: CUDA takes 8 ms to open one. */
#include "config.h"

#include "tools/serve/serve.h"

enum { KEPT = 64, READY = 12 }; /* the latter for three clients with two streams each */

static gpu_queue_impl *kept[KEPT];
static int count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static const struct gpu_backend *backend(void) {
    return serve_device.dev.backend;
}

static gpu_queue_impl *take_kept(void) {
    pthread_mutex_lock(&mutex);
    gpu_queue_impl *queue = count > 0 ? kept[--count] : NULL;
    pthread_mutex_unlock(&mutex);
    return queue;
}

static bool keep(gpu_queue_impl *queue) {
    pthread_mutex_lock(&mutex);
    bool has_room = count < KEPT;
    if (has_room)
        kept[count++] = queue;
    pthread_mutex_unlock(&mutex);
    return has_room;
}

enum gpu_status serve_queues_take(gpu_queue_impl **queue) {
    *queue = take_kept();
    return *queue ? GPU_OK : backend()->queue_open(serve_device.dev.impl, queue);
}

/* A client may have ended in the midst of a series. */
static bool settle(gpu_queue_impl *queue) {
    bool is_settled = !backend()->series || backend()->series(queue, false) == GPU_OK;
    return gpu_finish(&(struct gpu_queue){backend(), queue}) == GPU_OK && is_settled;
}

void serve_queues_put(gpu_queue_impl *queue, bool is_sound) {
    if (!settle(queue) || !is_sound || !keep(queue))
        backend()->queue_close(queue);
}

void serve_queues_close(void) {
    gpu_queue_impl *queue;
    while ((queue = take_kept()))
        backend()->queue_close(queue);
}

void serve_queues_begin(void) {
    gpu_queue_impl *queue;
    for (int i = 0; i < READY; i++)
        if (backend()->queue_open(serve_device.dev.impl, &queue) == GPU_OK)
            serve_queues_put(queue, true);
}
