/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Device functions that are the same for all backends. */
#include "gpu/gpu.h"

#include <string.h>

void gpu_close(struct gpu_device *dev) {
    dev->backend->close(dev->impl);
    dev->impl = NULL;
}

enum gpu_status gpu_queue_open(const struct gpu_device *dev, struct gpu_queue *queue) {
    queue->backend = dev->backend;
    return dev->backend->queue_open(dev->impl, &queue->impl);
}

void gpu_queue_close(struct gpu_queue *queue) {
    queue->backend->queue_close(queue->impl);
    queue->impl = NULL;
}

enum gpu_status gpu_finish(const struct gpu_queue *queue) {
    gpu_event_impl *event;
    enum gpu_status status = gpu_event_record(queue, &event);
    if (status != GPU_OK)
        return status;
    status = queue->backend->event_wait(event);
    queue->backend->event_release(event);
    return status;
}

bool gpu_is_thread(const char *name) {
    for (int i = 0; gpu_backends[i]; i++) {
        const char *threads = gpu_backends[i]->threads;
        if (threads && strncmp(name, threads, strlen(threads)) == 0)
            return true;
    }
    return false;
}
