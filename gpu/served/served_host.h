/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Host memory that the program shares with the server: blocks of region 0, which are
 * page-locked, and a region for the pool (the library's allocator for GMP's numbers). */
#ifndef MPGPU_SERVED_HOST_H
#define MPGPU_SERVED_HOST_H

#include "gpu/gpu.h"

/* Implement the functions of the same name in struct gpu_backend. `dev` is ignored. */
enum gpu_status served_host_alloc(gpu_device_impl *dev, size_t bytes, void **hostp);
void served_host_release(gpu_device_impl *dev, void *host);
enum gpu_status served_host_begin_register(gpu_device_impl *dev, void *host, size_t bytes,
                                           struct gpu_sent *sent);
void served_host_unregister(gpu_device_impl *dev, void *host);

/* Finds the region and the offset of {host, bytes} in shared memory. Returns false for other
 * memory. */
bool served_host_locate(const void *host, size_t bytes, uint64_t *region, uint64_t *offset);

/* Forgets all blocks of region 0, and the regions to drop. Called when the connection ends. */
void served_host_forget(void);

/* Forgets all blocks and regions in a child of fork.  The parent retains its connection. */
void served_host_renew(void);

#endif
