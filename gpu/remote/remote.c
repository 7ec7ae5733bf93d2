/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The devices of a CPU in a process of their own, as a backend: each function asks the other side
 * (gpu/remote/remote_serve.c) to call the same one of the driver's backend. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/error.h"
#include "gpu/kernels.h"
#include "gpu/remote/remote_backend.h"
#include "gpu/remote/remote_build.h"
#include "gpu/remote/remote_channel.h"
#include "gpu/remote/remote_host.h"
#include "gpu/remote/remote_numbers.h"

struct gpu_device_impl {
    pthread_mutex_t mutex; /* for the kernels */
    struct gpu_kernels kernels;
    struct gpu_texts texts;
};

struct gpu_queue_impl {
    uint64_t there;
};

static _Atomic uint64_t events[REMOTE_NUMBERS(REMOTE_EVENTS)]; /* the numbers in use */

static gpu_event_impl *event_of(uint32_t number) {
    return (gpu_event_impl *)(uintptr_t)(number + UINT64_C(1));
}

static uint32_t number_of(const gpu_event_impl *event) {
    return (uint32_t)((uintptr_t)event - 1);
}

/* A kernel is known by its number. */
static gpu_kernel_impl *kernel_of(uint64_t id) {
    return (gpu_kernel_impl *)((uintptr_t)id + 1);
}

static uint64_t id_of(const gpu_kernel_impl *kernel) {
    return (uintptr_t)kernel - 1;
}

#define REQUEST(name, ...) ((struct remote_request){.op = REMOTE_##name, .a = {__VA_ARGS__}})

static enum gpu_status post(struct remote_request request) {
    return remote_post(&request, false);
}

static enum gpu_status call(struct remote_request request, uint64_t *value) {
    return remote_call(&request, false, value);
}

int remote_enumerate(struct gpu_caps *caps, int max) {
    uint64_t count = 0;
    if (remote_call(&REQUEST(ENUMERATE, 0), true, &count) != GPU_OK)
        return 0;
    for (int i = 0; i < max && i < (int)count && i < REMOTE_DEVICES; i++)
        caps[i] = remote_caps()[i];
    return (int)count;
}

enum gpu_status remote_open(int index, gpu_device_impl **devp) {
    gpu_device_impl *dev = calloc(1, sizeof *dev);
    if (!dev)
        return gpu_fail(GPU_NOMEM, "no host memory");
    enum gpu_status status = remote_call(&REQUEST(OPEN, (uint64_t)index), true, NULL);
    if (status != GPU_OK) {
        free(dev);
        return status;
    }
    pthread_mutex_init(&dev->mutex, NULL);
    *devp = dev;
    return GPU_OK;
}

void remote_close(gpu_device_impl *dev) {
    remote_leave();
    remote_host_forget();
    gpu_texts_close(&dev->texts, NULL);
    pthread_mutex_destroy(&dev->mutex);
    free(dev);
}

enum gpu_status remote_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    (void)dev;
    memp->h = 0;
    return call(REQUEST(ALLOC, bytes), &memp->h);
}

void remote_release(gpu_device_impl *dev, gpu_mem mem) {
    (void)dev;
    if (mem.h != 0)
        post(REQUEST(RELEASE, mem.h));
}

/* ---- queues and copies */

enum gpu_status remote_queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep) {
    gpu_queue_impl *queue = calloc(1, sizeof *queue);
    (void)dev;
    if (!queue)
        return gpu_fail(GPU_NOMEM, "no host memory");
    enum gpu_status status = call(REQUEST(QUEUE_OPEN, 0), &queue->there);
    if (status == GPU_OK)
        *queuep = queue;
    else
        free(queue);
    return status;
}

void remote_queue_close(gpu_queue_impl *queue) {
    call(REQUEST(QUEUE_CLOSE, queue->there), NULL);
    free(queue);
}

static enum gpu_status finish(gpu_queue_impl *queue) {
    static const struct gpu_backend backend = {REMOTE_BACKEND("")};
    return gpu_finish(&(struct gpu_queue){.backend = &backend, .impl = queue});
}

/* Memory that the other side does not see goes through a piece that it does. */
static enum gpu_status copy(gpu_queue_impl *queue, enum remote_op op, gpu_mem mem, size_t offset,
                            char *host, size_t bytes) {
    void *piece;
    size_t most = bytes < REMOTE_PIECE ? bytes : REMOTE_PIECE;
    enum gpu_status status = remote_host_alloc(NULL, most, &piece);
    for (size_t at = 0, n; at < bytes && status == GPU_OK; at += n) {
        n = bytes - at < most ? bytes - at : most;
        if (op == REMOTE_WRITE)
            memcpy(piece, host + at, n);
        status = post((struct remote_request){
            .op = op,
            .a = {queue->there, mem.h, offset + at, (uint64_t)remote_offset(piece, n), n}});
        if (status == GPU_OK)
            status = finish(queue);
        if (status == GPU_OK && op == REMOTE_READ)
            memcpy(host + at, piece, n);
    }
    if (piece)
        remote_host_release(NULL, piece);
    return status;
}

enum gpu_status remote_write(gpu_queue_impl *queue, gpu_mem dst, size_t offset, const void *src,
                             size_t bytes) {
    int64_t at = remote_offset(src, bytes);
    return at < 0 ? copy(queue, REMOTE_WRITE, dst, offset, (char *)src, bytes)
                  : post(REQUEST(WRITE, queue->there, dst.h, offset, (uint64_t)at, bytes));
}

enum gpu_status remote_read(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                            size_t bytes) {
    int64_t at = remote_offset(dst, bytes);
    return at < 0 ? copy(queue, REMOTE_READ, src, offset, dst, bytes)
                  : post(REQUEST(READ, queue->there, src.h, offset, (uint64_t)at, bytes));
}

enum gpu_status remote_zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes) {
    return post(REQUEST(ZERO, queue->there, dst.h, offset, bytes));
}

/* ---- kernels */

static enum gpu_status make_kernel(gpu_device_impl *dev, enum gpu_kernel id,
                                   gpu_kernel_impl **kernelp) {
    (void)dev;
    enum gpu_status status = call(REQUEST(KERNEL, id), NULL);
    if (status == GPU_OK)
        *kernelp = kernel_of(id);
    return status;
}

enum gpu_status remote_kernel(gpu_device_impl *dev, enum gpu_kernel id, gpu_kernel_impl **kernelp) {
    return gpu_kernels_get(&dev->kernels, &dev->mutex, dev, make_kernel, id, kernelp);
}

static enum gpu_status make_text(gpu_device_impl *dev, const struct gpu_text *text,
                                 gpu_kernel_impl **kernelp) {
    (void)dev;
    uint64_t id;
    enum gpu_status status = remote_text(text, &id);
    if (status == GPU_OK)
        *kernelp = kernel_of(id);
    return status;
}

enum gpu_status remote_build_kernel(gpu_device_impl *dev, const struct gpu_text *text,
                                    gpu_kernel_impl **kernelp) {
    return gpu_texts_get(&dev->texts, &dev->mutex, dev, make_text, text, kernelp);
}

static const char *name_of(const gpu_kernel_impl *kernel) {
    return id_of(kernel) < GPU_KERNELS ? gpu_kernel_heads[id_of(kernel)].name : GPU_TEXT_KERNEL;
}

enum gpu_status remote_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned groups_x,
                              unsigned groups_y, const struct gpu_arg *args, unsigned nargs) {
    struct remote_request request =
        REQUEST(LAUNCH, queue->there, id_of(kernel), groups_x, groups_y);
    if (nargs > REMOTE_ARGS)
        return gpu_fail(GPU_FAILED, "%s: %u arguments, more than %d", name_of(kernel), nargs,
                        REMOTE_ARGS);
    request.nargs = nargs;
    memcpy(request.args, args, nargs * sizeof *args);
    return post(request);
}

/* ---- events */

enum gpu_status remote_event_record(gpu_queue_impl *queue, gpu_event_impl **eventp) {
    uint32_t number;
    if (!remote_numbers_take(events, REMOTE_EVENTS, &number))
        return gpu_fail(GPU_NOMEM, "more than %d events", REMOTE_EVENTS);
    const struct remote_request request = REQUEST(RECORD, queue->there, number);
    enum gpu_status status = remote_post(&request, true);
    if (status == GPU_OK)
        *eventp = event_of(number);
    else
        remote_numbers_give(events, number);
    return status;
}

enum gpu_status remote_event_wait(gpu_event_impl *event) {
    return call(REQUEST(WAIT, number_of(event)), NULL);
}

enum gpu_status remote_queue_wait(gpu_queue_impl *queue, gpu_event_impl *event) {
    return post(REQUEST(QUEUE_WAIT, queue->there, number_of(event)));
}

/* The next one of that number is recorded behind this. */
void remote_event_release(gpu_event_impl *event) {
    post(REQUEST(FORGET, number_of(event)));
    remote_numbers_give(events, number_of(event));
}
