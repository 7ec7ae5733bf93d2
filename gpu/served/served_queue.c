/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The queues of the server's device: copies, launches, events.  Each has a channel, which keeps
 * what is put into it in order. */
#include "config.h"

#include "gpu/served/served_queue.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/error.h"
#include "gpu/remote/remote_numbers.h"
#include "gpu/served/served_channel.h"
#include "gpu/served/served_host.h"

enum { PIECE = 1 << 20 }; /* of a copy of memory that the server does not see, in bytes */

struct gpu_queue_impl {
    uint64_t there;
    unsigned channel;
};

/* The numbers in use, of each channel. */
static _Atomic uint64_t events[SERVED_CHANNELS][REMOTE_NUMBERS(SERVED_EVENTS)];

#define REQUEST(name, ...) ((struct served_request){.op = SERVED_##name, .a = {__VA_ARGS__}})

static enum gpu_status post(unsigned channel, struct served_request request) {
    return served_post(channel, &request, false);
}

static enum gpu_status call(unsigned channel, struct served_request request, uint64_t *value) {
    return served_call(channel, &request, value);
}

static uint64_t id_of(const gpu_kernel_impl *kernel) {
    return (uintptr_t)kernel - 1;
}

static enum gpu_status finish(gpu_queue_impl *queue) {
    gpu_event_impl *event;
    enum gpu_status status = served_event_record(queue, &event);
    if (status != GPU_OK)
        return status;
    status = served_event_wait(event);
    served_event_release(event);
    return status;
}

/* ---- queues and copies */

enum gpu_status served_queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep) {
    gpu_queue_impl *queue = calloc(1, sizeof *queue);
    if (!queue)
        return gpu_fail(GPU_NOMEM, "no host memory");
    queue->channel = served_channel_own();
    served_channel_use(queue->channel, served_place(dev));
    enum gpu_status status =
        call(queue->channel, REQUEST(QUEUE_OPEN, served_place(dev)), &queue->there);
    if (status == GPU_OK)
        *queuep = queue;
    else
        free(queue);
    return status;
}

void served_queue_close(gpu_queue_impl *queue) {
    call(queue->channel, REQUEST(QUEUE_CLOSE, queue->there), NULL);
    free(queue);
}

static enum gpu_status copy_seen(gpu_queue_impl *queue, enum served_op op, gpu_mem mem,
                                 size_t offset, uint64_t region, uint64_t at, size_t bytes) {
    return post(
        queue->channel,
        (struct served_request){.op = op, .a = {queue->there, mem.h, offset, region, at, bytes}});
}

/* Memory that the server does not see goes through a piece that it does. */
static enum gpu_status copy_unseen(gpu_queue_impl *queue, enum served_op op, gpu_mem mem,
                                   size_t offset, char *host, size_t bytes) {
    void *piece;
    uint64_t region, place;
    size_t most = bytes < PIECE ? bytes : PIECE;
    enum gpu_status status = served_host_alloc(NULL, most, &piece);
    for (size_t at = 0, n; at < bytes && status == GPU_OK; at += n) {
        n = bytes - at < most ? bytes - at : most;
        if (op == SERVED_WRITE)
            memcpy(piece, host + at, n);
        if (!served_host_place(piece, n, &region, &place))
            status = gpu_fail(GPU_FAILED, "mpgpu-serve has ended");
        if (status == GPU_OK)
            status = copy_seen(queue, op, mem, offset + at, region, place, n);
        if (status == GPU_OK)
            status = finish(queue);
        if (status == GPU_OK && op == SERVED_READ)
            memcpy(host + at, piece, n);
    }
    if (piece)
        served_host_release(NULL, piece);
    return status;
}

static enum gpu_status copy(gpu_queue_impl *queue, enum served_op op, gpu_mem mem, size_t offset,
                            char *host, size_t bytes) {
    uint64_t region, at;
    return served_host_place(host, bytes, &region, &at)
               ? copy_seen(queue, op, mem, offset, region, at, bytes)
               : copy_unseen(queue, op, mem, offset, host, bytes);
}

enum gpu_status served_write(gpu_queue_impl *queue, gpu_mem dst, size_t offset, const void *src,
                             size_t bytes) {
    return copy(queue, SERVED_WRITE, dst, offset, (char *)src, bytes);
}

enum gpu_status served_read(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                            size_t bytes) {
    return copy(queue, SERVED_READ, src, offset, dst, bytes);
}

enum gpu_status served_zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes) {
    return post(queue->channel, REQUEST(ZERO, queue->there, dst.h, offset, bytes));
}

enum gpu_status served_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned groups_x,
                              unsigned groups_y, const struct gpu_arg *args, unsigned nargs) {
    struct served_request request;
    if (nargs > SERVED_ARGS)
        return gpu_fail(GPU_FAILED, "a launch with %u arguments, more than %d", nargs, SERVED_ARGS);
    request.op = SERVED_LAUNCH;
    request.nargs = nargs;
    request.a[0] = queue->there;
    request.a[1] = id_of(kernel);
    request.a[2] = groups_x;
    request.a[3] = groups_y;
    request.a[4] = request.a[5] = 0;
    memcpy(request.args, args, nargs * sizeof *args);
    return served_post(queue->channel, &request, true);
}

enum gpu_status served_series(gpu_queue_impl *queue, bool begins) {
    return post(queue->channel, REQUEST(SERIES, queue->there, begins));
}

/* ---- events: a channel, and a number */

static gpu_event_impl *event_of(unsigned channel, uint32_t number) {
    return (gpu_event_impl *)(uintptr_t)(((uint64_t)channel << 32 | number) + 1);
}

static unsigned channel_of(const gpu_event_impl *event) {
    return (unsigned)(((uintptr_t)event - 1) >> 32);
}

static uint32_t number_of(const gpu_event_impl *event) {
    return (uint32_t)((uintptr_t)event - 1);
}

enum gpu_status served_event_record(gpu_queue_impl *queue, gpu_event_impl **eventp) {
    uint32_t number;
    if (!remote_numbers_take(events[queue->channel], SERVED_EVENTS, &number))
        return gpu_fail(GPU_NOMEM, "more than %d events", SERVED_EVENTS);
    const struct served_request request = REQUEST(RECORD, queue->there, number);
    enum gpu_status status = served_post(queue->channel, &request, true);
    if (status == GPU_OK)
        *eventp = event_of(queue->channel, number);
    else
        remote_numbers_give(events[queue->channel], number);
    return status;
}

enum gpu_status served_event_wait(gpu_event_impl *event) {
    return call(channel_of(event), REQUEST(WAIT, number_of(event)), NULL);
}

/* Channels have no order among each other: the host waits for what another channel holds. */
enum gpu_status served_queue_wait(gpu_queue_impl *queue, gpu_event_impl *event) {
    return channel_of(event) == queue->channel
               ? post(queue->channel, REQUEST(QUEUE_WAIT, queue->there, number_of(event)))
               : served_event_wait(event);
}

/* The next one of that number is recorded behind this. */
void served_event_release(gpu_event_impl *event) {
    post(channel_of(event), REQUEST(FORGET, number_of(event)));
    remote_numbers_give(events[channel_of(event)], number_of(event));
}

void served_queue_renew(void) {
    for (unsigned i = 0; i < SERVED_CHANNELS; i++)
        for (unsigned k = 0; k < REMOTE_NUMBERS(SERVED_EVENTS); k++)
            atomic_store(&events[i][k], 0);
}
