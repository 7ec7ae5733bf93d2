/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A backend's table for its devices of a CPU, which work in a process of their own: the functions
 * of struct gpu_backend, as it describes them. */
#ifndef MPGPU_REMOTE_BACKEND_H
#define MPGPU_REMOTE_BACKEND_H

#include "gpu/gpu.h"
#include "gpu/remote/remote_host.h"

/* The process ends; another is started where it is needed. */
void remote_leave(void);

int remote_enumerate(struct gpu_caps *caps, int max);
enum gpu_status remote_open(int index, gpu_device_impl **devp);
void remote_close(gpu_device_impl *dev);
enum gpu_status remote_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp);
void remote_release(gpu_device_impl *dev, gpu_mem mem);
enum gpu_status remote_queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep);
void remote_queue_close(gpu_queue_impl *queue);
enum gpu_status remote_write(gpu_queue_impl *queue, gpu_mem dst, size_t offset, const void *src,
                             size_t bytes);
enum gpu_status remote_read(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                            size_t bytes);
enum gpu_status remote_zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes);
enum gpu_status remote_kernel(gpu_device_impl *dev, enum gpu_kernel id, gpu_kernel_impl **kernelp);
enum gpu_status remote_build_kernel(gpu_device_impl *dev, const struct gpu_text *text,
                                    gpu_kernel_impl **kernelp);
enum gpu_status remote_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned groups_x,
                              unsigned groups_y, const struct gpu_arg *args, unsigned nargs);
enum gpu_status remote_event_record(gpu_queue_impl *queue, gpu_event_impl **eventp);
enum gpu_status remote_event_wait(gpu_event_impl *event);
enum gpu_status remote_queue_wait(gpu_queue_impl *queue, gpu_event_impl *event);
void remote_event_release(gpu_event_impl *event);

#define REMOTE_BACKEND(backend)                                                                    \
    .name = backend, .enumerate = remote_enumerate, .open = remote_open, .close = remote_close,    \
    .alloc = remote_alloc, .release = remote_release, .host_alloc = remote_host_alloc,             \
    .host_release = remote_host_release, .host_register = remote_host_register,                    \
    .host_unregister = remote_host_unregister, .host_view = remote_host_view,                      \
    .queue_open = remote_queue_open, .queue_close = remote_queue_close, .write = remote_write,     \
    .read = remote_read, .zero = remote_zero, .kernel = remote_kernel,                             \
    .build = remote_build_kernel, .launch = remote_launch, .event_record = remote_event_record,    \
    .event_wait = remote_event_wait, .queue_wait = remote_queue_wait,                              \
    .event_release = remote_event_release

#endif
