/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The queues of other members' devices: copies, launches, events. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/error.h"
#include "tools/serve/group/group_impl.h"

enum gpu_status group_queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep) {
    gpu_queue_impl *queue = calloc(1, sizeof *queue);
    if (!queue)
        return gpu_fail(GPU_NOMEM, "no host memory");
    queue->dev = dev;
    queue->link = group_impl_link(dev);
    enum gpu_status status =
        group_impl_call(queue->link, REQUEST(QUEUE_OPEN, 0), NULL, 0, &queue->there);
    if (status == GPU_OK)
        *queuep = queue;
    else
        free(queue);
    return status;
}

void group_queue_close(gpu_queue_impl *queue) {
    group_impl_call(queue->link, REQUEST(QUEUE_CLOSE, queue->there), NULL, 0, NULL);
    free(queue);
}

enum gpu_status group_write(gpu_queue_impl *queue, gpu_mem dst, size_t offset, const void *src,
                            size_t bytes) {
    uint64_t region, at;
    if (group_host_is_mapped(queue->dev, src, bytes, &region, &at))
        return group_impl_post(
            queue->link, REQUEST(WRITE, queue->there, dst.h, offset, region, at, bytes), NULL, 0);
    return group_impl_post(queue->link, REQUEST(WRITE, queue->there, dst.h, offset, 0, 0, bytes),
                           src, bytes);
}

enum gpu_status group_read(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                           size_t bytes) {
    struct group_link *l = queue->link;
    uint64_t region, at;
    if (group_host_is_mapped(queue->dev, dst, bytes, &region, &at))
        return group_impl_post(l, REQUEST(READ, queue->there, src.h, offset, region, at, bytes),
                               NULL, 0);
    pthread_mutex_lock(&l->mutex);
    enum gpu_status status =
        group_link_post(l, REQUEST(READ, queue->there, src.h, offset, 0, 0, bytes), NULL, 0);
    if (status == GPU_OK)
        status = group_link_expect(l, dst, bytes);
    pthread_mutex_unlock(&l->mutex);
    return status;
}

enum gpu_status group_zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes) {
    return group_impl_post(queue->link, REQUEST(ZERO, queue->there, dst.h, offset, bytes), NULL, 0);
}

enum gpu_status group_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned groups_x,
                             unsigned groups_y, const struct gpu_arg *args, unsigned nargs) {
    struct served_request request = {
        .op = SERVED_LAUNCH,
        .nargs = nargs,
        .a = {queue->there, (uintptr_t)kernel - 1, groups_x, groups_y}};
    memcpy(request.args, args, nargs * sizeof *args);
    return group_impl_post(queue->link, &request, NULL, 0);
}

enum gpu_status group_series(gpu_queue_impl *queue, bool begins) {
    return group_impl_post(queue->link, REQUEST(SERIES, queue->there, begins), NULL, 0);
}

/* ---- events */

enum gpu_status group_event_record(gpu_queue_impl *queue, gpu_event_impl **eventp) {
    struct group_link *l = queue->link;
    uint32_t number;
    gpu_event_impl *event = malloc(sizeof *event);
    if (!event)
        return gpu_fail(GPU_NOMEM, "no host memory");
    if (!remote_numbers_take(l->events, SERVED_EVENTS, &number)) {
        free(event);
        return gpu_fail(GPU_NOMEM, "too many events");
    }
    *event = (struct gpu_event_impl){l, number};
    enum gpu_status status =
        group_impl_post(l, REQUEST(RECORD, queue->there, event->number), NULL, 0);
    if (status == GPU_OK) {
        *eventp = event;
        return GPU_OK;
    }
    remote_numbers_give(l->events, number);
    free(event);
    return status;
}

enum gpu_status group_event_wait(gpu_event_impl *event) {
    return group_impl_call(event->link, REQUEST(WAIT, event->number), NULL, 0, NULL);
}

enum gpu_status group_queue_wait(gpu_queue_impl *queue, gpu_event_impl *event) {
    return event->link == queue->link
               ? group_impl_post(queue->link, REQUEST(QUEUE_WAIT, queue->there, event->number),
                                 NULL, 0)
               : group_event_wait(event);
}

/* The next one of that number is recorded behind this. */
void group_event_release(gpu_event_impl *event) {
    struct group_link *l = event->link;
    group_impl_post(l, REQUEST(FORGET, event->number), NULL, 0);
    remote_numbers_give(l->events, event->number);
    free(event);
}
