/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Host memory that the program and the process of its device both see, in place of page-locked
 * memory: blocks of whole pages of what the channel has for it. */
#ifndef MPGPU_REMOTE_HOST_H
#define MPGPU_REMOTE_HOST_H

#include "gpu/gpu.h"

/* Other memory is copied in pieces of so many bytes. */
#define REMOTE_PIECE ((size_t)1 << 20)

/* As in struct gpu_backend; dev is not looked at.  *hostp is NULL where there is no room. */
enum gpu_status remote_host_alloc(gpu_device_impl *dev, size_t bytes, void **hostp);
void remote_host_release(gpu_device_impl *dev, void *host);

/* GPU_ABSENT: memory of the program's own is never seen by the other side. */
enum gpu_status remote_host_register(gpu_device_impl *dev, void *host, size_t bytes);
void remote_host_unregister(gpu_device_impl *dev, void *host);
enum gpu_status remote_host_view(gpu_device_impl *dev, void *host, gpu_mem *viewp);

/* All blocks are gone, with the channel. */
void remote_host_forget(void);

#endif
