/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The devices of a CPU in a process of their own, as a backend: each function asks the other side
 * (gpu/remote_serve.c) to call the same one of the driver's backend. */
#include "gpu/remote_backend.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/error.h"
#include "gpu/remote_channel.h"
#include "gpu/remote_host.h"

struct gpu_kernel_impl {
    struct gpu_kernel_impl *next;
    enum gpu_program program;
    uint64_t there; /* the kernel on the other side */
    char name[REMOTE_NAME];
};

struct gpu_device_impl {
    pthread_mutex_t mutex; /* for the list */
    struct gpu_kernel_impl *kernels;
};

struct gpu_queue_impl {
    uint64_t there;
};

static atomic_uint events; /* recorded so far: the number of one is its place */

static gpu_event_impl *event_of(uint32_t number) {
    return (gpu_event_impl *)(uintptr_t)(number + UINT64_C(1));
}

static uint64_t number_of(const gpu_event_impl *event) {
    return (uintptr_t)event - 1;
}

#define REQUEST(name, ...) ((struct remote_request){.op = REMOTE_##name, .a = {__VA_ARGS__}})

static int post(struct remote_request request) {
    return remote_post(&request, false);
}

static int call(struct remote_request request, uint64_t *value) {
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

int remote_open(int index, gpu_device_impl **devp) {
    gpu_device_impl *dev = calloc(1, sizeof *dev);
    if (!dev)
        return gpu_fail(GPU_NOMEM, "no host memory");
    int status = remote_call(&REQUEST(OPEN, (uint64_t)index), true, NULL);
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
    while (dev->kernels) {
        gpu_kernel_impl *kernel = dev->kernels;
        dev->kernels = kernel->next;
        free(kernel);
    }
    pthread_mutex_destroy(&dev->mutex);
    free(dev);
}

int remote_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
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

int remote_queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep) {
    gpu_queue_impl *queue = calloc(1, sizeof *queue);
    (void)dev;
    if (!queue)
        return gpu_fail(GPU_NOMEM, "no host memory");
    int status = call(REQUEST(QUEUE_OPEN, 0), &queue->there);
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

static int finish(gpu_queue_impl *queue) {
    gpu_event_impl *event;
    int status = remote_event_record(queue, &event);
    if (status != GPU_OK)
        return status;
    status = remote_event_wait(event);
    remote_event_release(event);
    return status;
}

/* Memory that the other side does not see goes through a piece that it does. */
static int copy(gpu_queue_impl *queue, enum remote_op op, gpu_mem mem, size_t offset, char *host,
                size_t bytes) {
    void *piece;
    size_t most = bytes < REMOTE_PIECE ? bytes : REMOTE_PIECE;
    int status = remote_host_alloc(NULL, most, &piece);
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

int remote_write(gpu_queue_impl *queue, gpu_mem dst, size_t offset, const void *src, size_t bytes) {
    int64_t at = remote_offset(src, bytes);
    return at < 0 ? copy(queue, REMOTE_WRITE, dst, offset, (char *)src, bytes)
                  : post(REQUEST(WRITE, queue->there, dst.h, offset, (uint64_t)at, bytes));
}

int remote_read(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset, size_t bytes) {
    int64_t at = remote_offset(dst, bytes);
    return at < 0 ? copy(queue, REMOTE_READ, src, offset, dst, bytes)
                  : post(REQUEST(READ, queue->there, src.h, offset, (uint64_t)at, bytes));
}

int remote_zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes) {
    return post(REQUEST(ZERO, queue->there, dst.h, offset, bytes));
}

/* ---- kernels */

static gpu_kernel_impl *find_kernel(const gpu_device_impl *dev, enum gpu_program program,
                                    const char *name) {
    gpu_kernel_impl *kernel = dev->kernels;
    while (kernel && (kernel->program != program || strcmp(kernel->name, name) != 0))
        kernel = kernel->next;
    return kernel;
}

static int make_kernel(gpu_device_impl *dev, enum gpu_program program, const char *name,
                       gpu_kernel_impl **kernelp) {
    struct remote_request request = REQUEST(KERNEL, program);
    gpu_kernel_impl *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return gpu_fail(GPU_NOMEM, "no host memory");
    snprintf(request.u.name, sizeof request.u.name, "%s", name);
    int status = call(request, &kernel->there);
    if (status != GPU_OK) {
        free(kernel);
        return status;
    }
    kernel->program = program;
    memcpy(kernel->name, request.u.name, sizeof kernel->name);
    kernel->next = dev->kernels;
    dev->kernels = *kernelp = kernel;
    return GPU_OK;
}

int remote_kernel(gpu_device_impl *dev, enum gpu_program program, const char *name,
                  gpu_kernel_impl **kernelp) {
    pthread_mutex_lock(&dev->mutex);
    *kernelp = find_kernel(dev, program, name);
    int status = *kernelp ? GPU_OK : make_kernel(dev, program, name, kernelp);
    pthread_mutex_unlock(&dev->mutex);
    return status;
}

int remote_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned groups_x,
                  unsigned groups_y, unsigned local, const struct gpu_arg *args, unsigned nargs) {
    struct remote_request request =
        REQUEST(LAUNCH, queue->there, kernel->there, groups_x, groups_y, local);
    if (nargs > REMOTE_ARGS)
        return gpu_fail(GPU_FAILED, "%s: %u arguments, more than %d", kernel->name, nargs,
                        REMOTE_ARGS);
    request.nargs = nargs;
    memcpy(request.u.args, args, nargs * sizeof *args);
    return post(request);
}

/* ---- events */

int remote_event_record(gpu_queue_impl *queue, gpu_event_impl **eventp) {
    uint32_t number = atomic_fetch_add(&events, 1);
    const struct remote_request request = REQUEST(RECORD, queue->there, number);
    int status = remote_post(&request, true);
    if (status == GPU_OK)
        *eventp = event_of(number);
    return status;
}

int remote_event_wait(gpu_event_impl *event) {
    return call(REQUEST(WAIT, number_of(event)), NULL);
}

int remote_queue_wait(gpu_queue_impl *queue, gpu_event_impl *event) {
    return post(REQUEST(QUEUE_WAIT, queue->there, number_of(event)));
}

void remote_event_release(gpu_event_impl *event) {
    post(REQUEST(FORGET, number_of(event)));
}
