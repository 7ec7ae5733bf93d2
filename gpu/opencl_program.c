/* SPDX-License-Identifier: LGPL-3.0-or-later
 * OpenCL backend: programs from source, or from the cache of built ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "gpu/cache.h"
#include "gpu/error.h"
#include "gpu/images.h"
#include "gpu/opencl_impl.h"
#include "gpu/remote/remote_build.h"

enum { MOST_OPTIONS = 512, LEAST_FILE = 16 << 20 };

static void device_text(const gpu_device_impl *dev, cl_device_info which, char *to, size_t size) {
    memset(to, 0, size);
    opencl.get_device_info(dev->device, which, size - 1, to, NULL);
}

static void platform_text(const gpu_device_impl *dev, cl_platform_info which, char *to,
                          size_t size) {
    memset(to, 0, size);
    opencl.get_platform_info(dev->platform, which, size - 1, to, NULL);
}

/* All that a built program depends on.  The form of what we store is in the
 * files' magic (cache.c). */
static void make_key(const gpu_device_impl *dev, const char *text, const char *options,
                     struct cache_key *key) {
    char platform[256], version[256], device[256], device_version[256], driver[256];
    platform_text(dev, CL_PLATFORM_NAME, platform, sizeof platform);
    platform_text(dev, CL_PLATFORM_VERSION, version, sizeof version);
    device_text(dev, CL_DEVICE_NAME, device, sizeof device);
    device_text(dev, CL_DEVICE_VERSION, device_version, sizeof device_version);
    device_text(dev, CL_DRIVER_VERSION, driver, sizeof driver);
    const char *parts[] = {text, options, platform, version, device, device_version, driver, NULL};
    cache_key_make(key, parts);
}

static void log_build(const gpu_device_impl *dev, cl_program program, const char *name) {
    char text[800] = "", *whole = NULL;
    size_t size = 0;
    opencl.get_program_build_info(program, dev->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    if (size > 1 && (whole = calloc(1, size + 1))) {
        opencl.get_program_build_info(program, dev->device, CL_PROGRAM_BUILD_LOG, size, whole,
                                      NULL);
        snprintf(text, sizeof text, "%s", whole);
        free(whole);
    }
    gpu_log(GPU_LOG_WARNING, "opencl: program %s does not build: %s", name, text);
}

/* What a driver refuses here is built from source. */
static bool from_cache(gpu_device_impl *dev, const struct cache_key *key, const char *options,
                       cl_program *programp) {
    size_t size;
    unsigned char *binary = cache_read(key, &size);
    if (!binary)
        return false;
    cl_int result, binary_status = CL_SUCCESS;
    const unsigned char *image = binary;
    cl_program program = opencl.create_program_with_binary(dev->context, 1, &dev->device, &size,
                                                           &image, &binary_status, &result);
    free(binary);
    if (result != CL_SUCCESS)
        return false;
    if (binary_status != CL_SUCCESS ||
        opencl.build_program(program, 1, &dev->device, options, NULL, NULL) != CL_SUCCESS) {
        opencl.release_program(program);
        return false;
    }
    *programp = program;
    return true;
}

static enum gpu_status from_source(gpu_device_impl *dev, const struct gpu_source *source,
                                   const char *options, cl_program *programp) {
    cl_int result;
    const char *text = (const char *)gpu_images() + source->place;
    const size_t length = source->length;
    cl_program program =
        opencl.create_program_with_source(dev->context, 1, &text, &length, &result);
    if (result != CL_SUCCESS)
        return opencl_check(result, "clCreateProgramWithSource");
    result = opencl.build_program(program, 1, &dev->device, options, NULL, NULL);
    if (result != CL_SUCCESS) {
        log_build(dev, program, source->name);
        opencl.release_program(program);
        return opencl_check(result, source->name);
    }
    *programp = program;
    return GPU_OK;
}

static void to_cache(cl_program program, const struct cache_key *key) {
    size_t size = 0;
    if (opencl.get_program_info(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) !=
            CL_SUCCESS ||
        size == 0)
        return;
    unsigned char *binary = malloc(size);
    if (!binary)
        return;
    if (opencl.get_program_info(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) ==
        CL_SUCCESS)
        cache_write(key, binary, size);
    free(binary);
}

/* NVIDIA's driver (580) ends a process (exit status 1) that builds and may write no files. */
static enum gpu_status check_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= LEAST_FILE)
        return GPU_OK;
    return gpu_fail(GPU_NOBUILD,
                    "nothing is built where files may have %llu bytes only (RLIMIT_FSIZE)",
                    (unsigned long long)limit.rlim_cur);
}

static enum gpu_status build(gpu_device_impl *dev, enum gpu_program program, const char *options,
                             const struct cache_key *key) {
    const struct gpu_source *source = &gpu_sources[program];
    enum gpu_status status = check_files();
    if (status == GPU_OK)
        status = from_source(dev, source, options, &dev->program[program]);
    if (status != GPU_OK)
        return status;
    gpu_log(GPU_LOG_DETAIL, "opencl: program %s: built", source->name);
    to_cache(dev->program[program], key);
    return GPU_OK;
}

enum gpu_status opencl_program(gpu_device_impl *dev, enum gpu_kernel kernel) {
    const enum gpu_program program = gpu_kernel_heads[kernel].program;
    const struct gpu_source *source = &gpu_sources[program];
    char options[MOST_OPTIONS];
    struct cache_key key;
    if (dev->program[program])
        return GPU_OK;
    if (gpu_stopped())
        return gpu_fail(GPU_FAILED, "the program is ending");
    snprintf(options, sizeof options, "-cl-std=CL1.2 -DLOCAL_BYTES=%llu %s%s",
             (unsigned long long)dev->local_bytes, source->defines, dev->simd ? " -DON_CPU" : "");
    const unsigned char *images = gpu_images();
    if (!images)
        return GPU_NOBUILD;
    make_key(dev, (const char *)images + source->place, options, &key);
    if (from_cache(dev, &key, options, &dev->program[program])) {
        gpu_log(GPU_LOG_DETAIL, "opencl: program %s: from the cache", source->name);
        return GPU_OK;
    }
    enum gpu_status status = remote_build(dev->index, kernel);
    if (status == GPU_OK && from_cache(dev, &key, options, &dev->program[program]))
        return GPU_OK;
    return status == GPU_OK || status == GPU_ABSENT ? build(dev, program, options, &key) : status;
}
