/* SPDX-License-Identifier: LGPL-3.0-or-later
 * CUDA backend: streams, copies and events. */
#include <stdlib.h>
#include <time.h>

#include "gpu/cuda_impl.h"
#include "gpu/error.h"

/* Waiting for an event: polls for SPIN_NANOSECONDS, then sleeps between two polls for
 * 1/NAP_FRACTION of the time waited so far, at most LONGEST_NAP. The driver's own wait is not used:
 * it ends later, and the events that it needs occupy the PCIe link. */
enum { SPIN_NANOSECONDS = 500000, NAP_FRACTION = 64, LONGEST_NAP = 1000000, BREATHS = 10 };

enum gpu_status cuda_queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep) {
    gpu_queue_impl *queue = calloc(1, sizeof *queue);
    if (!queue)
        return gpu_fail(GPU_NOMEM, "no host memory");
    queue->dev = dev;
    enum gpu_status status = cuda_enter(dev);
    if (status == GPU_OK) {
        status = cuda_check(cuda.stream_create(&queue->stream, CU_STREAM_NON_BLOCKING),
                            "cuStreamCreate");
        cuda_leave();
    }
    if (status != GPU_OK)
        free(queue);
    else
        *queuep = queue;
    return status;
}

void cuda_queue_close(gpu_queue_impl *queue) {
    if (cuda_enter(queue->dev) == GPU_OK) {
        cuda_series_close(queue);
        cuda.stream_destroy(queue->stream);
        cuda_leave();
    }
    free(queue);
}

/* Enters the queue's context and issues the deferred launches, so that later commands follow them.
 * If it returns GPU_OK, the caller must leave the context. */
static enum gpu_status begin(gpu_queue_impl *queue) {
    enum gpu_status status = cuda_enter(queue->dev);
    if (status != GPU_OK)
        return status;
    status = cuda_series_flush(queue);
    if (status != GPU_OK)
        cuda_leave();
    return status;
}

enum gpu_status cuda_write(gpu_queue_impl *queue, gpu_mem dst, size_t offset, const void *src,
                           size_t bytes) {
    enum gpu_status status = begin(queue);
    if (status != GPU_OK)
        return status;
    status = cuda_check(cuda.memcpy_htod_async(dst.h + offset, src, bytes, queue->stream),
                        "cuMemcpyHtoDAsync");
    cuda_leave();
    return status;
}

enum gpu_status cuda_read(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                          size_t bytes) {
    enum gpu_status status = begin(queue);
    if (status != GPU_OK)
        return status;
    status = cuda_check(cuda.memcpy_dtoh_async(dst, src.h + offset, bytes, queue->stream),
                        "cuMemcpyDtoHAsync");
    cuda_leave();
    return status;
}

enum gpu_status cuda_zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes) {
    enum gpu_status status = begin(queue);
    if (status != GPU_OK)
        return status;
    status = cuda_check(cuda.memset_d8_async(dst.h + offset, 0, bytes, queue->stream),
                        "cuMemsetD8Async");
    cuda_leave();
    return status;
}

enum gpu_status cuda_copy(gpu_queue_impl *queue, gpu_mem dst, gpu_mem src, size_t bytes) {
    return cuda_peer_copy(queue, dst, 0, queue->dev, src, 0, bytes);
}

/* Enables peer access once for each device, so that copies use a direct link if there is one.  The
 * caller has entered the queue's context. */
static void ask_for_peer(gpu_device_impl *dev, const gpu_device_impl *from) {
    int can = 0;
    uint64_t bit = UINT64_C(1) << (unsigned)from->device % 64;
    pthread_mutex_lock(&dev->queues_mutex);
    if (!(dev->peers & bit) &&
        cuda.device_can_access_peer(&can, dev->device, from->device) == CUDA_SUCCESS && can)
        cuda.ctx_enable_peer_access(from->context, 0);
    dev->peers |= bit;
    pthread_mutex_unlock(&dev->queues_mutex);
}

/* Copies from another context of the same or another device. The caller has entered the queue's
 * context. */
static enum gpu_status copy_from(gpu_queue_impl *queue, CUdeviceptr dst,
                                 const gpu_device_impl *from, CUdeviceptr src, size_t bytes) {
    if (from->device != queue->dev->device)
        ask_for_peer(queue->dev, from);
    return cuda_check(
        cuda.memcpy_peer_async(dst, queue->dev->context, src, from->context, bytes, queue->stream),
        "cuMemcpyPeerAsync");
}

enum gpu_status cuda_peer_copy(gpu_queue_impl *queue, gpu_mem dst, size_t offset,
                               gpu_device_impl *from, gpu_mem src, size_t src_offset,
                               size_t bytes) {
    enum gpu_status status = begin(queue);
    if (status != GPU_OK)
        return status;
    status = from == queue->dev
                 ? cuda_check(cuda.memcpy_dtod_async(dst.h + offset, src.h + src_offset, bytes,
                                                     queue->stream),
                              "cuMemcpyDtoDAsync")
                 : copy_from(queue, dst.h + offset, from, src.h + src_offset, bytes);
    cuda_leave();
    return status;
}

/* Returns an unused event, or a new one.  The caller has entered the context. */
static enum gpu_status event_make(gpu_device_impl *dev, gpu_event_impl **eventp) {
    pthread_mutex_lock(&dev->queues_mutex);
    gpu_event_impl *event = dev->events;
    if (event)
        dev->events = event->next;
    pthread_mutex_unlock(&dev->queues_mutex);
    *eventp = event;
    if (event)
        return GPU_OK;
    event = malloc(sizeof *event);
    if (!event)
        return gpu_fail(GPU_NOMEM, "no host memory");
    event->dev = dev;
    enum gpu_status status =
        cuda_check(cuda.event_create(&event->event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
    if (status == GPU_OK)
        *eventp = event;
    else
        free(event);
    return status;
}

enum gpu_status cuda_event_record(gpu_queue_impl *queue, gpu_event_impl **eventp) {
    enum gpu_status status = begin(queue);
    if (status != GPU_OK)
        return status;
    status = event_make(queue->dev, eventp);
    if (status == GPU_OK) {
        status = cuda_check(cuda.event_record((*eventp)->event, queue->stream), "cuEventRecord");
        if (status != GPU_OK)
            cuda_event_release(*eventp);
    }
    cuda_leave();
    return status;
}

static long long nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* Pauses briefly between two polls: a thread that polls without a pause delays other threads'
 * calls of the driver. */
static void breathe(void) {
#if defined(__x86_64__)
    for (int i = 0; i < BREATHS; i++)
        __builtin_ia32_pause();
#endif
}

static void nap(long long waited) {
    long long time = waited / NAP_FRACTION;
    nanosleep(&(struct timespec){0, time < LONGEST_NAP ? (long)time : LONGEST_NAP}, NULL);
}

static CUresult event_poll(CUevent event) {
    long long start = 0, waited;
    CUresult result;
    while ((result = cuda.event_query(event)) == CUDA_ERROR_NOT_READY) {
        start = start ? start : nanoseconds();
        waited = nanoseconds() - start;
        if (waited > SPIN_NANOSECONDS)
            nap(waited);
        else
            breathe();
    }
    return result;
}

enum gpu_status cuda_event_wait(gpu_event_impl *event) {
    enum gpu_status status = cuda_enter(event->dev);
    if (status != GPU_OK)
        return status;
    CUresult result = event_poll(event->event);
    cuda_leave();
    return cuda_check(result, "cuEventQuery");
}

enum gpu_status cuda_queue_wait(gpu_queue_impl *queue, gpu_event_impl *event) {
    enum gpu_status status = begin(queue);
    if (status != GPU_OK)
        return status;
    status =
        cuda_check(cuda.stream_wait_event(queue->stream, event->event, 0), "cuStreamWaitEvent");
    cuda_leave();
    return status;
}

void cuda_event_release(gpu_event_impl *event) {
    gpu_device_impl *dev = event->dev;
    pthread_mutex_lock(&dev->queues_mutex);
    event->next = dev->events;
    dev->events = event;
    pthread_mutex_unlock(&dev->queues_mutex);
}

void cuda_events_close(gpu_device_impl *dev) {
    while (dev->events) {
        gpu_event_impl *event = dev->events;
        dev->events = event->next;
        cuda.event_destroy(event->event);
        free(event);
    }
}
