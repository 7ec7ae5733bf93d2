/* SPDX-License-Identifier: LGPL-3.0-or-later
 * OpenCL backend: page-locks existing memory. NVIDIA's driver page-locks memory that is wrapped
 * in a buffer (CL_MEM_USE_HOST_PTR). Copies between this memory and other buffers are then
 * direct. The wrapping buffer itself is not used. A test copy on each device checks that such a
 * copy reaches the locked physical pages, even after other pages are mapped at their addresses. A
 * device that copies through the host's page tables fails this test. */
#include <string.h>
#include <sys/mman.h>

#include "gpu/error.h"
#include "gpu/opencl_impl.h"

enum { TRIAL_BYTES = 1 << 16, LATE = 0xff, LATER = 0x5a };

static enum gpu_status lock_pages(gpu_device_impl *dev, void *host, size_t bytes, cl_mem *buffer) {
    cl_int result;
    *buffer = opencl.create_buffer(dev->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                                   host, &result);
    return opencl_check(result, "clCreateBuffer of host memory");
}

static char *map(void *at, int flags) {
    void *host =
        mmap(at, TRIAL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    return host == MAP_FAILED ? NULL : host;
}

/* Queues a copy to `host` that waits for the event `late`, and maps the addresses to other pages
 * before the copy runs. Returns true if these other pages do not change. */
static bool keeps_to_pages(gpu_device_impl *dev, cl_mem device, char *host, cl_event late) {
    const cl_uchar pattern = LATE;
    if (opencl.enqueue_fill_buffer(dev->queue, device, &pattern, 1, 0, TRIAL_BYTES, 0, NULL,
                                   NULL) != CL_SUCCESS ||
        opencl.enqueue_read_buffer(dev->queue, device, CL_FALSE, 0, TRIAL_BYTES, host, 1, &late,
                                   NULL) != CL_SUCCESS)
        return false;
    opencl.flush(dev->queue);
    bool is_new = map(host, MAP_FIXED) != NULL;
    memset(host, LATER, TRIAL_BYTES);
    if (opencl.set_user_event_status(late, CL_COMPLETE) != CL_SUCCESS ||
        opencl.finish(dev->queue) != CL_SUCCESS)
        return false;
    return is_new && host[0] == LATER && memcmp(host, host + 1, TRIAL_BYTES - 1) == 0;
}

static bool try_late_copy(gpu_device_impl *dev, char *host, cl_mem device) {
    cl_int result;
    cl_event late = opencl.create_user_event(dev->context, &result);
    if (result != CL_SUCCESS)
        return false;
    bool keeps = keeps_to_pages(dev, device, host, late);
    /* completes the event even after a failure, so that the queue does not hang */
    opencl.set_user_event_status(late, CL_COMPLETE);
    opencl.finish(dev->queue);
    opencl.release_event(late);
    return keeps;
}

static bool try_lock(gpu_device_impl *dev) {
    cl_mem locked, device;
    cl_int result;
    bool keeps = false;
    char *host = map(NULL, 0);
    if (!host)
        return false;
    if (lock_pages(dev, host, TRIAL_BYTES, &locked) == GPU_OK) {
        device = opencl.create_buffer(dev->context, CL_MEM_READ_WRITE, TRIAL_BYTES, NULL, &result);
        if (result == CL_SUCCESS) {
            keeps = try_late_copy(dev, host, device);
            opencl.release_mem_object(device);
        }
        opencl.release_mem_object(locked);
    }
    munmap(host, TRIAL_BYTES);
    return keeps;
}

/* Returns true if host memory can be locked. Only tried with NVIDIA's driver, because other
 * drivers may copy the memory and were not tested. */
static bool can_lock(gpu_device_impl *dev) {
    if (dev->locks == OPENCL_LOCKS_UNTRIED)
        dev->locks = dev->is_nvidia && try_lock(dev) ? OPENCL_LOCKS : OPENCL_LOCKS_NOT;
    return dev->locks == OPENCL_LOCKS;
}

enum gpu_status opencl_host_register(gpu_device_impl *dev, void *host, size_t bytes) {
    struct opencl_host_block block = {.host = host};
    if (!can_lock(dev))
        return gpu_fail(GPU_ABSENT, "this OpenCL does not lock memory that is there already");
    enum gpu_status status = lock_pages(dev, host, bytes, &block.buffer);
    if (status != GPU_OK)
        return status;
    status = opencl_add_block(dev, &dev->locked, &block);
    if (status != GPU_OK)
        opencl.release_mem_object(block.buffer);
    return status;
}

void opencl_host_unregister(gpu_device_impl *dev, void *host) {
    struct opencl_host_block block = opencl_take_block(dev, &dev->locked, host);
    if (block.host)
        opencl.release_mem_object(block.buffer);
}
