/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Private to the files of the fault-injecting backend. */
#ifndef MPGPU_TEST_FAULT_IMPL_H
#define MPGPU_TEST_FAULT_IMPL_H

#include "tests/unit/fault/fault_backend.h"

/* Counts a call of the backend's function `name`. Returns GPU_OK, or the status with which the call
 * must fail by the plan. */
enum gpu_status fault_due(const char *name);

/* Adds 1 to *alive, the number of live objects, if `status` says that the object was created.
 * Returns `status`. */
enum gpu_status fault_made(int status, atomic_long *alive);

/* Waits until the real backend has executed all commands of the queue. */
enum gpu_status fault_finish(gpu_queue_impl *queue);

/* Inverts a bit of the word at byte `at` of device memory. A second call restores the word. */
enum gpu_status fault_spoil(gpu_queue_impl *queue, gpu_mem mem, size_t at);

/* Empties the list of page-locked host memory. */
void fault_forget_blocks(void);

/* The functions of fault_backend for memory and copies, as struct gpu_backend describes them. */
enum gpu_status fault_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp);
void fault_release(gpu_device_impl *dev, gpu_mem mem);
enum gpu_status fault_host_alloc(gpu_device_impl *dev, size_t bytes, void **hostp);
void fault_host_release(gpu_device_impl *dev, void *host);
enum gpu_status fault_host_view(gpu_device_impl *dev, void *host, gpu_mem *viewp);
enum gpu_status fault_host_register(gpu_device_impl *dev, void *host, size_t bytes);
void fault_host_unregister(gpu_device_impl *dev, void *host);
enum gpu_status fault_write(gpu_queue_impl *queue, gpu_mem dst, size_t offset, const void *src,
                            size_t bytes);
enum gpu_status fault_read(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                           size_t bytes);
enum gpu_status fault_zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes);
enum gpu_status fault_copy(gpu_queue_impl *queue, gpu_mem dst, gpu_mem src, size_t bytes);

#endif
