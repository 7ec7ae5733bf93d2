/* SPDX-License-Identifier: LGPL-3.0-or-later
 * OpenCL backend: the devices of all platforms, and the backend's table of functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/error.h"
#include "gpu/opencl_impl.h"

enum { MOST_PLATFORMS = 16, MOST_PER_PLATFORM = 32 };

static cl_ulong number(cl_device_id device, cl_device_info which, size_t bytes) {
    union {
        cl_uint u32;
        cl_ulong u64;
    } value = {.u64 = 0};
    if (opencl.get_device_info(device, which, bytes, &value, NULL) != CL_SUCCESS)
        return 0;
    return bytes == sizeof value.u32 ? value.u32 : value.u64;
}
#define NUMBER(device, which, type) number(device, which, sizeof(type))

/* Copies a text about the device, truncated to `size` bytes. */
static void text(cl_device_id device, cl_device_info which, char *to, size_t size) {
    char whole[1024] = "";
    opencl.get_device_info(device, which, sizeof whole - 1, whole, NULL);
    snprintf(to, size, "%.*s", (int)size - 1, whole);
}

static bool is_cpu(cl_device_id device) {
    return (NUMBER(device, CL_DEVICE_TYPE, cl_device_type) & CL_DEVICE_TYPE_CPU) != 0;
}

/* Returns true for a CPU if CPUs must not be used as devices (gpu_forbid_cpus). */
static bool is_forbidden(cl_device_id device) {
    const char *why = gpu_cpus_forbidden();
    if (!why || !is_cpu(device))
        return false;
    gpu_fail(GPU_ABSENT, "a CPU is not used: %s", why);
    return true;
}

/* Returns true if the device can run the programs, which need OpenCL C 1.2. */
static bool usable(cl_device_id device) {
    char version[64];
    int major = 0, minor = 0;
    text(device, CL_DEVICE_VERSION, version, sizeof version);
    if (sscanf(version, "OpenCL %d.%d", &major, &minor) != 2 || major * 10 + minor < 12)
        return false;
    return !is_forbidden(device) && NUMBER(device, CL_DEVICE_AVAILABLE, cl_bool) &&
           NUMBER(device, CL_DEVICE_COMPILER_AVAILABLE, cl_bool) &&
           NUMBER(device, CL_DEVICE_ENDIAN_LITTLE, cl_bool);
}

static bool is_simd(cl_device_id device) {
    return is_cpu(device) && !gpu_uses_kernels_of_gpus();
}

static bool is_nvidia(cl_device_id device) {
    char vendor[64];
    text(device, CL_DEVICE_VENDOR, vendor, sizeof vendor);
    return strncmp(vendor, "NVIDIA", 6) == 0;
}

/* Queries the device's properties. */
static void describe(gpu_device_impl *dev) {
    dev->is_cpu = is_cpu(dev->device);
    dev->simd = is_simd(dev->device);
    dev->is_nvidia = is_nvidia(dev->device);
    dev->local_bytes = NUMBER(dev->device, CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong);
    dev->max_alloc = NUMBER(dev->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong);
}

/* Returns true if kernels can use matrix units for bytes, by NVIDIA's PTX. */
static bool has_matrix_units(const gpu_device_impl *dev) {
    enum { MATRIX_MAJOR = 8 }; /* lowest compute capability with matrix units */
    return dev->is_nvidia &&
           NUMBER(dev->device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, cl_uint) >= MATRIX_MAJOR;
}

static void fill_caps(cl_platform_id platform, cl_device_id device, struct gpu_caps *caps) {
    char driver[24], version[36] = "";
    gpu_device_impl dev = {.device = device};
    describe(&dev);
    memset(caps, 0, sizeof *caps);
    text(device, CL_DEVICE_NAME, caps->name, sizeof caps->name);
    text(device, CL_DEVICE_VENDOR, caps->vendor, sizeof caps->vendor);
    text(device, CL_DRIVER_VERSION, driver, sizeof driver);
    char whole[1024] = "";
    opencl.get_platform_info(platform, CL_PLATFORM_VERSION, sizeof whole - 1, whole, NULL);
    /* removes what follows a comma: PoCL appends its own build options there */
    whole[strcspn(whole, ",")] = '\0';
    snprintf(version, sizeof version, "%.*s", (int)sizeof version - 1, whole);
    snprintf(caps->driver, sizeof caps->driver, "%s, %s", driver, version);
    caps->is_cpu = dev.is_cpu;
    caps->simd = dev.simd;
    caps->doubles = NUMBER(device, CL_DEVICE_DOUBLE_FP_CONFIG, cl_device_fp_config) != 0;
    caps->matrix_units = has_matrix_units(&dev);
    caps->compute_units = (unsigned)NUMBER(device, CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint);
    caps->max_group = (unsigned)NUMBER(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t);
    caps->local_bytes = dev.local_bytes;
    caps->memory_bytes = NUMBER(device, CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong);
    caps->max_alloc = dev.max_alloc;
}

/* A walk over all devices: fills caps[0..max), and stops at device number `wanted`. */
struct walk {
    struct gpu_caps *caps;
    int max, wanted, count;
    cl_platform_id platform;
    cl_device_id device;
};

/* Walks over the devices of a platform. Returns nonzero when it has reached device `wanted`. */
static int walk_platform(cl_platform_id platform, struct walk *walk) {
    cl_device_id devices[MOST_PER_PLATFORM];
    cl_uint count = 0;
    if (opencl.get_device_ids(platform, CL_DEVICE_TYPE_ALL, MOST_PER_PLATFORM, devices, &count) !=
        CL_SUCCESS)
        return 0;
    for (cl_uint i = 0; i < count && i < MOST_PER_PLATFORM; i++) {
        if (!usable(devices[i]))
            continue;
        if (walk->count < walk->max)
            fill_caps(platform, devices[i], &walk->caps[walk->count]);
        if (walk->count++ == walk->wanted) {
            walk->platform = platform;
            walk->device = devices[i];
            return 1;
        }
    }
    return 0;
}

/* Walks over the devices of all platforms. Returns nonzero when it has reached device `wanted`. */
static int walk_all(struct walk *walk) {
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_uint count = 0;
    if (opencl_load() != GPU_OK ||
        opencl.get_platform_ids(MOST_PLATFORMS, platforms, &count) != CL_SUCCESS)
        return 0;
    for (cl_uint i = 0; i < count && i < MOST_PLATFORMS; i++)
        if (walk_platform(platforms[i], walk))
            return 1;
    return 0;
}

static int opencl_enumerate(struct gpu_caps *caps, int max) {
    const char *forbidden = gpu_cpus_forbidden();
    if (forbidden && !gpu_may_exist()) {
        gpu_fail(GPU_ABSENT, "a CPU is not used: %s", forbidden);
        return 0;
    }
    struct walk walk = {.caps = caps, .max = max, .wanted = -1};
    walk_all(&walk);
    return walk.count;
}

static enum gpu_status make_context(gpu_device_impl *dev) {
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)dev->platform,
                                          0};
    cl_int result;
    dev->context = opencl.create_context(properties, 1, &dev->device, NULL, NULL, &result);
    if (result != CL_SUCCESS)
        return opencl_check(result, "clCreateContext");
    dev->queue = opencl.create_command_queue(dev->context, dev->device, 0, &result);
    if (result != CL_SUCCESS)
        opencl.release_context(dev->context);
    return opencl_check(result, "clCreateCommandQueue");
}

static enum gpu_status opencl_open(int index, gpu_device_impl **devp) {
    struct walk walk = {.wanted = index};
    if (!walk_all(&walk))
        return gpu_fail(GPU_ABSENT, "opencl has no device %d", index);
    gpu_device_impl *dev = calloc(1, sizeof *dev);
    if (!dev)
        return gpu_fail(GPU_NOMEM, "no host memory");
    dev->platform = walk.platform;
    dev->device = walk.device;
    dev->index = index;
    describe(dev);
    enum gpu_status status = make_context(dev);
    if (status != GPU_OK) {
        free(dev);
        return status;
    }
    pthread_mutex_init(&dev->mutex, NULL);
    *devp = dev;
    return GPU_OK;
}

static void opencl_close(gpu_device_impl *dev) {
    opencl_kernels_close(dev);
    while (dev->blocks)
        opencl_host_release(dev, dev->blocks->host);
    while (dev->locked)
        opencl_host_unregister(dev, dev->locked->host);
    opencl.release_command_queue(dev->queue);
    opencl.release_context(dev->context);
    pthread_mutex_destroy(&dev->mutex);
    free(dev);
}

extern const struct gpu_backend opencl_backend;
const struct gpu_backend opencl_backend = {
    .name = "opencl",
    .enumerate = opencl_enumerate,
    .open = opencl_open,
    .close = opencl_close,
    .alloc = opencl_alloc,
    .release = opencl_release,
    .host_alloc = opencl_host_alloc,
    .host_release = opencl_host_release,
    .host_register = opencl_host_register,
    .host_unregister = opencl_host_unregister,
    .host_view = opencl_host_view,
    .queue_open = opencl_queue_open,
    .queue_close = opencl_queue_close,
    .write = opencl_write,
    .read = opencl_read,
    .zero = opencl_zero,
    .copy = opencl_copy,
    .kernel = opencl_kernel,
    .build = opencl_build,
    .launch = opencl_launch,
    .event_record = opencl_event_record,
    .event_wait = opencl_event_wait,
    .queue_wait = opencl_queue_wait,
    .event_release = opencl_event_release,
    .build_ahead = opencl_build_ahead,
};
