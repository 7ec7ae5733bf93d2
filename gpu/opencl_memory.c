/* SPDX-License-Identifier: LGPL-3.0-or-later
 * OpenCL backend: memory of the device, and page-locked memory of the host. OpenCL has no call for
 * page-locking. GPU drivers page-lock a buffer that is created with CL_MEM_ALLOC_HOST_PTR and stays
 * mapped. CPU devices get ordinary memory. opencl_lock.c locks existing memory. */
#include <stdlib.h>

#include "gpu/error.h"
#include "gpu/opencl_impl.h"

enum { ALIGNMENT = 4096 };

/* Allocates device memory. A driver may accept any size here, and find only at first use that it
 * was too large. */
enum gpu_status opencl_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    cl_int result;
    memp->h = 0;
    if (bytes > dev->max_alloc)
        return gpu_fail(GPU_NOMEM, "a buffer of %zu bytes, where %llu is the most", bytes,
                        (unsigned long long)dev->max_alloc);
    cl_mem buffer = opencl.create_buffer(dev->context, CL_MEM_READ_WRITE, bytes, NULL, &result);
    memp->h = result == CL_SUCCESS ? (uint64_t)(uintptr_t)buffer : 0;
    return opencl_check(result, "clCreateBuffer");
}

void opencl_release(gpu_device_impl *dev, gpu_mem mem) {
    (void)dev;
    if (mem.h != 0)
        opencl.release_mem_object(opencl_mem(mem));
}

static enum gpu_status map_block(gpu_device_impl *dev, size_t bytes,
                                 struct opencl_host_block *block) {
    cl_int result;
    block->buffer = opencl.create_buffer(dev->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                         bytes, NULL, &result);
    if (result != CL_SUCCESS)
        return opencl_check(result, "clCreateBuffer for host memory");
    block->host =
        opencl.enqueue_map_buffer(dev->queue, block->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                  bytes, 0, NULL, NULL, &result);
    if (result != CL_SUCCESS)
        opencl.release_mem_object(block->buffer);
    return opencl_check(result, "clEnqueueMapBuffer");
}

static enum gpu_status plain_block(size_t bytes, struct opencl_host_block *block) {
    size_t whole = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    block->buffer = NULL;
    block->host = aligned_alloc(ALIGNMENT, whole);
    return block->host ? GPU_OK : gpu_fail(GPU_NOMEM, "no host memory");
}

enum gpu_status opencl_add_block(gpu_device_impl *dev, struct opencl_host_block **list,
                                 const struct opencl_host_block *block) {
    struct opencl_host_block *added = malloc(sizeof *added);
    if (!added)
        return gpu_fail(GPU_NOMEM, "no host memory");
    *added = *block;
    pthread_mutex_lock(&dev->mutex);
    added->next = *list;
    *list = added;
    pthread_mutex_unlock(&dev->mutex);
    return GPU_OK;
}

struct opencl_host_block opencl_take_block(gpu_device_impl *dev, struct opencl_host_block **list,
                                           const void *host) {
    struct opencl_host_block taken = {.host = NULL};
    pthread_mutex_lock(&dev->mutex);
    while (*list && (*list)->host != host)
        list = &(*list)->next;
    struct opencl_host_block *block = *list;
    if (block) {
        taken = *block;
        *list = block->next;
    }
    pthread_mutex_unlock(&dev->mutex);
    free(block);
    return taken;
}

static void release_block(gpu_device_impl *dev, const struct opencl_host_block *block) {
    if (block->buffer) {
        opencl.enqueue_unmap_mem_object(dev->queue, block->buffer, block->host, 0, NULL, NULL);
        opencl.finish(dev->queue);
        opencl.release_mem_object(block->buffer);
    } else {
        free(block->host);
    }
}

enum gpu_status opencl_host_alloc(gpu_device_impl *dev, size_t bytes, void **hostp) {
    struct opencl_host_block block;
    enum gpu_status status =
        dev->is_cpu ? plain_block(bytes, &block) : map_block(dev, bytes, &block);
    if (status != GPU_OK)
        return status;
    *hostp = block.host;
    status = opencl_add_block(dev, &dev->blocks, &block);
    if (status != GPU_OK)
        release_block(dev, &block);
    return status;
}

void opencl_host_release(gpu_device_impl *dev, void *host) {
    struct opencl_host_block block = opencl_take_block(dev, &dev->blocks, host);
    if (block.host)
        release_block(dev, &block);
}

/* Not supported: kernels must not use a buffer that is mapped. */
enum gpu_status opencl_host_view(gpu_device_impl *dev, void *host, gpu_mem *viewp) {
    (void)dev;
    (void)host;
    viewp->h = 0;
    return gpu_fail(GPU_ABSENT, "OpenCL's kernels don't see memory of the host");
}
