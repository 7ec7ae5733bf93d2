/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The queues of the server's device: the functions of struct gpu_backend, as it describes them. */
#ifndef MPGPU_SERVED_QUEUE_H
#define MPGPU_SERVED_QUEUE_H

#include "gpu/gpu.h"

enum gpu_status served_queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep);
void served_queue_close(gpu_queue_impl *queue);
enum gpu_status served_write(gpu_queue_impl *queue, gpu_mem dst, size_t offset, const void *src,
                             size_t bytes);
enum gpu_status served_read(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                            size_t bytes);
enum gpu_status served_zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes);
enum gpu_status served_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned groups_x,
                              unsigned groups_y, const struct gpu_arg *args, unsigned nargs);
enum gpu_status served_series(gpu_queue_impl *queue, bool begins);
enum gpu_status served_event_record(gpu_queue_impl *queue, gpu_event_impl **eventp);
enum gpu_status served_event_wait(gpu_event_impl *event);
enum gpu_status served_queue_wait(gpu_queue_impl *queue, gpu_event_impl *event);
void served_event_release(gpu_event_impl *event);

/* In a child of fork: no event is its own. */
void served_queue_renew(void);

/* A kernel is known by its number. */
static inline gpu_kernel_impl *served_kernel_of(uint64_t id) {
    return (gpu_kernel_impl *)((uintptr_t)id + 1);
}

#endif
