/* SPDX-License-Identifier: LGPL-3.0-or-later
 * OpenCL backend: queues, copies and events. A queue works in order, so the event of a copy also
 * signals all earlier commands. After a copy, the copy's own event is used. After a kernel, a
 * marker is used, which costs less than the kernel's event on NVIDIA's OpenCL. Events to wait for
 * become the wait list of the next command, because a barrier would cost 3 us. */
#include <stdlib.h>

#include "gpu/error.h"
#include "gpu/opencl_impl.h"

static void forget_events(gpu_queue_impl *queue) {
    while (queue->waits > 0)
        opencl.release_event(queue->wait[--queue->waits]);
    if (queue->last)
        opencl.release_event(queue->last);
    queue->last = NULL;
}

enum gpu_status opencl_put(gpu_queue_impl *queue, cl_event event, cl_int result, const char *what) {
    if (result == CL_SUCCESS) {
        forget_events(queue);
        queue->last = event;
    }
    return opencl_check(result, what);
}

enum gpu_status opencl_queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep) {
    cl_int result;
    gpu_queue_impl *queue = calloc(1, sizeof *queue);
    if (!queue)
        return gpu_fail(GPU_NOMEM, "no host memory");
    queue->dev = dev;
    queue->queue = opencl.create_command_queue(dev->context, dev->device, 0, &result);
    if (result != CL_SUCCESS)
        free(queue);
    else
        *queuep = queue;
    return opencl_check(result, "clCreateCommandQueue");
}

void opencl_queue_close(gpu_queue_impl *queue) {
    opencl.finish(queue->queue);
    forget_events(queue);
    opencl.release_command_queue(queue->queue);
    free(queue);
}

enum gpu_status opencl_write(gpu_queue_impl *queue, gpu_mem dst, size_t offset, const void *src,
                             size_t bytes) {
    cl_event event;
    cl_int result = opencl.enqueue_write_buffer(queue->queue, opencl_mem(dst), CL_FALSE, offset,
                                                bytes, src, OPENCL_WAITS(queue), &event);
    return opencl_put(queue, event, result, "clEnqueueWriteBuffer");
}

enum gpu_status opencl_read(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                            size_t bytes) {
    cl_event event;
    cl_int result = opencl.enqueue_read_buffer(queue->queue, opencl_mem(src), CL_FALSE, offset,
                                               bytes, dst, OPENCL_WAITS(queue), &event);
    return opencl_put(queue, event, result, "clEnqueueReadBuffer");
}

enum gpu_status opencl_zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes) {
    const cl_uint pattern = 0;
    size_t size = (offset | bytes) % sizeof pattern == 0 ? sizeof pattern : 1;
    cl_int result = opencl.enqueue_fill_buffer(queue->queue, opencl_mem(dst), &pattern, size,
                                               offset, bytes, OPENCL_WAITS(queue), NULL);
    return opencl_put(queue, NULL, result, "clEnqueueFillBuffer");
}

enum gpu_status opencl_copy(gpu_queue_impl *queue, gpu_mem dst, gpu_mem src, size_t bytes) {
    cl_event event;
    cl_int result = opencl.enqueue_copy_buffer(queue->queue, opencl_mem(src), opencl_mem(dst), 0, 0,
                                               bytes, OPENCL_WAITS(queue), &event);
    return opencl_put(queue, event, result, "clEnqueueCopyBuffer");
}

/* Queues a marker: a command whose event signals all earlier commands. */
static enum gpu_status put_marker(gpu_queue_impl *queue) {
    cl_event event;
    cl_int result = opencl.enqueue_marker(queue->queue, OPENCL_WAITS(queue), &event);
    return opencl_put(queue, event, result, "clEnqueueMarkerWithWaitList");
}

/* Records an event. Flushes the queue: otherwise another queue or the host may wait for a command
 * that was never submitted. The queue does not retain the event, because a retained event of a copy
 * seems to slow launches. */
enum gpu_status opencl_event_record(gpu_queue_impl *queue, gpu_event_impl **eventp) {
    enum gpu_status status = queue->last && queue->waits == 0 ? GPU_OK : put_marker(queue);
    if (status == GPU_OK)
        status = opencl_check(opencl.flush(queue->queue), "clFlush");
    if (status != GPU_OK)
        return status;
    *eventp = (gpu_event_impl *)queue->last;
    queue->last = NULL;
    return GPU_OK;
}

enum gpu_status opencl_event_wait(gpu_event_impl *event) {
    cl_event wanted = opencl_event(event);
    return opencl_check(opencl.wait_for_events(1, &wanted), "clWaitForEvents");
}

enum gpu_status opencl_queue_wait(gpu_queue_impl *queue, gpu_event_impl *event) {
    enum gpu_status status = queue->waits < OPENCL_MOST_WAITS ? GPU_OK : put_marker(queue);
    if (status == GPU_OK)
        status = opencl_check(opencl.retain_event(opencl_event(event)), "clRetainEvent");
    if (status == GPU_OK)
        queue->wait[queue->waits++] = opencl_event(event);
    return status;
}

void opencl_event_release(gpu_event_impl *event) {
    opencl.release_event(opencl_event(event));
}
