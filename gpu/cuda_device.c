/* SPDX-License-Identifier: LGPL-3.0-or-later
 * CUDA backend: devices, their memory, and the backend's table of functions. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/cuda_impl.h"
#include "gpu/error.h"

/* Major compute capabilities: the lowest that the PTX supports, and the lowest with matrix units
 * for bytes. GROUPS_MAJOR.GROUPS_MINOR: the only compute capability on which four warps can
 * together compute a matrix product (kernels/common/matrix_group.h). */
enum { LOWEST_MAJOR = 7, MATRIX_MAJOR = 8, GROUPS_MAJOR = 9, GROUPS_MINOR = 0 };
#if defined(HAVE_SM_90A)
static const bool has_groups_code = true;
#else
static const bool has_groups_code = false;
#endif

static unsigned attribute(CUdevice device, CUdevice_attribute which) {
    int value = 0;
    return cuda.device_get_attribute(&value, which, device) == CUDA_SUCCESS ? (unsigned)value : 0;
}

/* Returns the maximum number of thread blocks in a cluster: 16 on data centre GPUs, 8 on other
 * GPUs with clusters, 0 without clusters. */
static unsigned cluster_groups(unsigned major) {
    return major < 9 ? 0 : major <= 10 ? 16 : 8;
}

/* Returns true for compute capabilities with 64 units for doubles on a multiprocessor, in addition
 * to 64 for integers. */
static bool has_fast_doubles(unsigned major, unsigned minor) {
    return major == 9 || (major == 10 && minor == 0);
}

static void fill_caps(CUdevice device, struct gpu_caps *caps) {
    unsigned major = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    unsigned minor = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    int version = 0;
    size_t memory = 0;
    memset(caps, 0, sizeof *caps);
    cuda.device_get_name(caps->name, sizeof caps->name, device);
    cuda.device_total_mem(&memory, device);
    cuda.driver_get_version(&version);
    snprintf(caps->vendor, sizeof caps->vendor, "NVIDIA");
    snprintf(caps->driver, sizeof caps->driver, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    caps->compute_units = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    caps->max_group = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    caps->local_bytes = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    caps->cluster = cluster_groups(major);
    caps->matrix_units = major >= MATRIX_MAJOR;
    caps->matrix_groups = has_groups_code && major == GROUPS_MAJOR && minor == GROUPS_MINOR;
    caps->doubles = true;
    caps->fast_doubles = has_fast_doubles(major, minor);
    caps->memory_bytes = memory;
    caps->max_alloc = memory;
    CUuuid uuid = {{0}};
    if (attribute(device, CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED) &&
        attribute(device, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED) &&
        cuda.device_get_uuid(&uuid, device) == CUDA_SUCCESS)
        memcpy(caps->uuid, uuid.bytes, sizeof caps->uuid);
}

/* Calls visit(device, index) for each device that can run the programs, until visit returns
 * nonzero. Returns the number of devices visited. */
static int each_device(int (*visit)(CUdevice device, int index, void *context), void *context) {
    int all = 0, count = 0;
    CUdevice device;
    if (cuda_load() != GPU_OK || cuda_check(cuda.device_get_count(&all), "cuDeviceGetCount"))
        return 0;
    for (int i = 0; i < all; i++) {
        if (cuda.device_get(&device, i) != CUDA_SUCCESS ||
            attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) < LOWEST_MAJOR)
            continue;
        if (visit(device, count++, context))
            break;
    }
    return count;
}

struct listing {
    struct gpu_caps *caps;
    int max;
};

static int visit_list(CUdevice device, int index, void *context) {
    struct listing *listing = context;
    if (index < listing->max)
        fill_caps(device, &listing->caps[index]);
    return 0;
}

static int cuda_enumerate(struct gpu_caps *caps, int max) {
    struct listing listing = {caps, max};
    return each_device(visit_list, &listing);
}

struct wanted {
    CUdevice device;
    int index, found;
};

static int visit_find(CUdevice device, int index, void *context) {
    struct wanted *wanted = context;
    wanted->found = index == wanted->index;
    wanted->device = device;
    return wanted->found;
}

static enum gpu_status cuda_open(int index, gpu_device_impl **devp) {
    struct wanted wanted = {.index = index};
    each_device(visit_find, &wanted);
    if (!wanted.found)
        return gpu_fail(GPU_ABSENT, "cuda has no device %d", index);
    gpu_device_impl *dev = calloc(1, sizeof *dev);
    if (!dev)
        return gpu_fail(GPU_NOMEM, "no host memory");
    dev->device = wanted.device;
    enum gpu_status status =
        cuda_check(cuda.ctx_create(&dev->context, 0, dev->device), "cuCtxCreate");
    if (status != GPU_OK) {
        free(dev);
        return status;
    }
    cuda_leave();
    pthread_mutex_init(&dev->mutex, NULL);
    pthread_mutex_init(&dev->queues_mutex, NULL);
    *devp = dev;
    return GPU_OK;
}

static void cuda_close(gpu_device_impl *dev) {
    if (cuda_enter(dev) == GPU_OK) {
        cuda_events_close(dev);
        cuda_kernels_close(dev);
        cuda_leave();
    }
    cuda.ctx_destroy(dev->context);
    pthread_mutex_destroy(&dev->mutex);
    pthread_mutex_destroy(&dev->queues_mutex);
    free(dev);
}

static enum gpu_status cuda_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    CUdeviceptr pointer = 0;
    enum gpu_status status = cuda_enter(dev);
    if (status != GPU_OK)
        return status;
    status = cuda_check(cuda.mem_alloc(&pointer, bytes), "cuMemAlloc");
    cuda_leave();
    memp->h = pointer;
    return status;
}

static void cuda_release(gpu_device_impl *dev, gpu_mem mem) {
    if (mem.h == 0 || cuda_enter(dev) != GPU_OK)
        return;
    if (!cuda_release_shared(dev, mem))
        cuda.mem_free(mem.h);
    cuda_leave();
}

static enum gpu_status cuda_host_alloc(gpu_device_impl *dev, size_t bytes, void **hostp) {
    enum gpu_status status = cuda_enter(dev);
    if (status != GPU_OK)
        return status;
    status =
        cuda_check(cuda.mem_host_alloc(hostp, bytes, CU_MEMHOSTALLOC_PORTABLE), "cuMemHostAlloc");
    cuda_leave();
    return status;
}

static void cuda_host_release(gpu_device_impl *dev, void *host) {
    if (!host || cuda_enter(dev) != GPU_OK)
        return;
    cuda.mem_free_host(host);
    cuda_leave();
}

/* Page-locks memory. Fails if the device uses the host's page tables: its copies would follow later
 * changes of the mapping instead of using the locked pages. */
static enum gpu_status cuda_host_register(gpu_device_impl *dev, void *host, size_t bytes) {
    enum gpu_status status = cuda_enter(dev);
    if (status != GPU_OK)
        return status;
    if (attribute(dev->device, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES))
        status = gpu_fail(GPU_ABSENT, "the device uses the host's page tables");
    else
        status =
            cuda_check(cuda.mem_host_register(
                           host, bytes, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP),
                       "cuMemHostRegister");
    cuda_leave();
    return status;
}

static void cuda_host_unregister(gpu_device_impl *dev, void *host) {
    if (cuda_enter(dev) != GPU_OK)
        return;
    cuda.mem_host_unregister(host);
    cuda_leave();
}

/* With unified addressing, kernels use the same addresses as the host. */
static enum gpu_status cuda_host_view(gpu_device_impl *dev, void *host, gpu_mem *viewp) {
    viewp->h = 0;
    if (!attribute(dev->device, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING))
        return gpu_fail(GPU_ABSENT, "no unified addresses");
    viewp->h = (uint64_t)(uintptr_t)host;
    return GPU_OK;
}

extern const struct gpu_backend cuda_backend;
const struct gpu_backend cuda_backend = {
    .name = "cuda",
    .threads = "cuda", /* cuda-EvtHandlr, cuda00001400006 */
    .enumerate = cuda_enumerate,
    .open = cuda_open,
    .close = cuda_close,
    .alloc = cuda_alloc,
    .release = cuda_release,
    .alloc_shared = cuda_alloc_shared,
    .share = cuda_share,
    .host_alloc = cuda_host_alloc,
    .host_release = cuda_host_release,
    .host_register = cuda_host_register,
    .locks_for_all = true,
    .host_unregister = cuda_host_unregister,
    .host_view = cuda_host_view,
    .queue_open = cuda_queue_open,
    .queue_close = cuda_queue_close,
    .write = cuda_write,
    .read = cuda_read,
    .zero = cuda_zero,
    .copy = cuda_copy,
    .peer_copy = cuda_peer_copy,
    .kernel = cuda_kernel,
    .build = cuda_build,
    .launch = cuda_launch,
    .series = cuda_series,
    .event_record = cuda_event_record,
    .event_wait = cuda_event_wait,
    .queue_wait = cuda_queue_wait,
    .event_release = cuda_event_release,
};
