/* SPDX-License-Identifier: LGPL-3.0-or-later
 * OpenCL backend: queues, copies, events. */
#include <stdlib.h>

#include "error.h"
#include "opencl_impl.h"

int opencl_queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep) {
    cl_int result;
    gpu_queue_impl *queue = malloc(sizeof *queue);
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
    opencl.release_command_queue(queue->queue);
    free(queue);
}

int opencl_write(gpu_queue_impl *queue, gpu_mem dst, size_t offset, const void *src, size_t bytes) {
    return opencl_check(opencl.enqueue_write_buffer(queue->queue, opencl_mem(dst), CL_FALSE, offset,
                                                    bytes, src, 0, NULL, NULL),
                        "clEnqueueWriteBuffer");
}

int opencl_read(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset, size_t bytes) {
    return opencl_check(opencl.enqueue_read_buffer(queue->queue, opencl_mem(src), CL_FALSE, offset,
                                                   bytes, dst, 0, NULL, NULL),
                        "clEnqueueReadBuffer");
}

int opencl_zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes) {
    const cl_uint pattern = 0;
    size_t size = (offset | bytes) % sizeof pattern == 0 ? sizeof pattern : 1;
    return opencl_check(opencl.enqueue_fill_buffer(queue->queue, opencl_mem(dst), &pattern, size,
                                                   offset, bytes, 0, NULL, NULL),
                        "clEnqueueFillBuffer");
}

/* The flush matters: without it another queue, or the host, may wait for a
 * marker that was never handed to the device. */
int opencl_event_record(gpu_queue_impl *queue, gpu_event_impl **eventp) {
    cl_event event;
    int status = opencl_check(opencl.enqueue_marker(queue->queue, 0, NULL, &event),
                              "clEnqueueMarkerWithWaitList");
    if (status != GPU_OK)
        return status;
    status = opencl_check(opencl.flush(queue->queue), "clFlush");
    if (status != GPU_OK)
        opencl.release_event(event);
    else
        *eventp = (gpu_event_impl *)event;
    return status;
}

int opencl_event_wait(gpu_event_impl *event) {
    cl_event wanted = opencl_event(event);
    return opencl_check(opencl.wait_for_events(1, &wanted), "clWaitForEvents");
}

int opencl_queue_wait(gpu_queue_impl *queue, gpu_event_impl *event) {
    cl_event wanted = opencl_event(event);
    return opencl_check(opencl.enqueue_barrier(queue->queue, 1, &wanted, NULL),
                        "clEnqueueBarrierWithWaitList");
}

void opencl_event_release(gpu_event_impl *event) {
    opencl.release_event(opencl_event(event));
}
