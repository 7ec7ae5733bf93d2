/* SPDX-License-Identifier: LGPL-3.0-or-later
 * CUDA backend: device memory that other processes can map.  Each block is an allocation of its
 * own, so a process that maps a block reaches no other memory.  All contexts of a process can use
 * a mapped block. The driver keeps the memory until the last process has unmapped it. */
#include <stdlib.h>

#include "gpu/cuda_impl.h"
#include "gpu/error.h"

struct cuda_shared {
    struct cuda_shared *next;
    CUdeviceptr at;
    size_t bytes;
    CUmemGenericAllocationHandle memory;
};

static size_t round_up(size_t bytes, size_t to) {
    return (bytes + to - 1) / to * to;
}

static CUmemAllocationProp properties(const gpu_device_impl *dev) {
    return (CUmemAllocationProp){
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = (int)dev->device}};
}

/* Maps the allocation at new addresses, which the device may read and write. */
static enum gpu_status map(const gpu_device_impl *dev, struct cuda_shared *x) {
    const CUmemAccessDesc access = {.location = properties(dev).location,
                                    .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    enum gpu_status status =
        cuda_check(cuda.mem_reserve(&x->at, x->bytes, 0, 0, 0), "cuMemAddressReserve");
    if (status != GPU_OK)
        return status;
    status = cuda_check(cuda.mem_map(x->at, x->bytes, 0, x->memory, 0), "cuMemMap");
    if (status != GPU_OK) {
        cuda.mem_unreserve(x->at, x->bytes);
        return status;
    }
    status = cuda_check(cuda.mem_set_access(x->at, x->bytes, &access, 1), "cuMemSetAccess");
    if (status != GPU_OK) {
        cuda.mem_unmap(x->at, x->bytes);
        cuda.mem_unreserve(x->at, x->bytes);
    }
    return status;
}

static void unmap(const struct cuda_shared *x) {
    cuda.mem_unmap(x->at, x->bytes);
    cuda.mem_unreserve(x->at, x->bytes);
}

/* Sets the block to zero, and waits. */
static enum gpu_status clear(gpu_device_impl *dev, const struct cuda_shared *x) {
    gpu_queue_impl *queue;
    gpu_event_impl *event;
    enum gpu_status status = cuda_queue_open(dev, &queue);
    if (status != GPU_OK)
        return status;
    status = cuda_zero(queue, (gpu_mem){x->at}, 0, x->bytes);
    if (status == GPU_OK)
        status = cuda_event_record(queue, &event);
    if (status == GPU_OK) {
        status = cuda_event_wait(event);
        cuda_event_release(event);
    }
    cuda_queue_close(queue);
    return status;
}

/* Allocates, maps and clears x->bytes bytes.  The caller has entered the context. */
static enum gpu_status make(gpu_device_impl *dev, struct cuda_shared *x) {
    const CUmemAllocationProp p = properties(dev);
    size_t step = 0;
    enum gpu_status status =
        cuda_check(cuda.mem_get_granularity(&step, &p, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
                   "cuMemGetAllocationGranularity");
    if (status != GPU_OK)
        return status;
    x->bytes = round_up(x->bytes, step);
    status = cuda_check(cuda.mem_create(&x->memory, x->bytes, &p, 0), "cuMemCreate");
    if (status != GPU_OK)
        return status;
    status = map(dev, x);
    if (status == GPU_OK && (status = clear(dev, x)) != GPU_OK)
        unmap(x);
    if (status != GPU_OK)
        cuda.mem_drop(x->memory);
    return status;
}

enum gpu_status cuda_alloc_shared(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    struct cuda_shared *x = calloc(1, sizeof *x);
    if (!x)
        return gpu_fail(GPU_NOMEM, "no host memory");
    x->bytes = round_up(bytes, GPU_SHARED_BYTES);
    enum gpu_status status = cuda_enter(dev);
    if (status == GPU_OK) {
        status = make(dev, x);
        cuda_leave();
    }
    if (status != GPU_OK) {
        free(x);
        return status;
    }
    pthread_mutex_lock(&dev->queues_mutex);
    x->next = dev->shared;
    dev->shared = x;
    pthread_mutex_unlock(&dev->queues_mutex);
    memp->h = x->at;
    return GPU_OK;
}

/* Returns the list's pointer to the block at `mem`. If there is no such block, returns the list's
 * last pointer, which is NULL. The caller holds the mutex. */
static struct cuda_shared **find(gpu_device_impl *dev, gpu_mem mem) {
    struct cuda_shared **link = &dev->shared;
    while (*link && (*link)->at != mem.h)
        link = &(*link)->next;
    return link;
}

enum gpu_status cuda_share(gpu_device_impl *dev, gpu_mem mem, int *filep) {
    pthread_mutex_lock(&dev->queues_mutex);
    const struct cuda_shared *x = *find(dev, mem);
    enum gpu_status status =
        x ? cuda_check(
                cuda.mem_export(filep, x->memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
                "cuMemExportToShareableHandle")
          : gpu_fail(GPU_FAILED, "this memory is not shared");
    pthread_mutex_unlock(&dev->queues_mutex);
    return status;
}

bool cuda_release_shared(gpu_device_impl *dev, gpu_mem mem) {
    pthread_mutex_lock(&dev->queues_mutex);
    struct cuda_shared **link = find(dev, mem), *x = *link;
    if (x)
        *link = x->next;
    pthread_mutex_unlock(&dev->queues_mutex);
    if (!x)
        return false;
    unmap(x);
    cuda.mem_drop(x->memory);
    free(x);
    return true;
}
