/* SPDX-License-Identifier: LGPL-3.0-or-later
 * OpenCL backend: builds programs from source, or loads built programs from the cache. */
#define _GNU_SOURCE 1 /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "gpu/build/builds.h"
#include "gpu/cache.h"
#include "gpu/error.h"
#include "gpu/images.h"
#include "gpu/opencl_impl.h"

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

/* A program to build: its number, its source text in one or two parts, and its options. */
#define NO_NUMBER GPU_PROGRAMS
struct source {
    enum gpu_program number; /* NO_NUMBER if the program is generated at run time */
    const char *name;
    cl_uint parts;
    const char *text[2];
    size_t length[2];
    char options[MOST_OPTIONS];
    struct cache_key key;
};

/* Computes the cache key: a hash of everything that the built program depends on. The format of
 * cache files is not part of the key; their magic number identifies it (cache.c). */
static void make_key(const gpu_device_impl *dev, struct source *source) {
    char platform[256], version[256], device[256], device_version[256], driver[256];
    platform_text(dev, CL_PLATFORM_NAME, platform, sizeof platform);
    platform_text(dev, CL_PLATFORM_VERSION, version, sizeof version);
    device_text(dev, CL_DEVICE_NAME, device, sizeof device);
    device_text(dev, CL_DEVICE_VERSION, device_version, sizeof device_version);
    device_text(dev, CL_DRIVER_VERSION, driver, sizeof driver);
    const char *parts[] = {source->text[0],
                           source->options,
                           platform,
                           version,
                           device,
                           device_version,
                           driver,
                           source->parts > 1 ? source->text[1] : NULL,
                           NULL};
    cache_key_make(&source->key, parts);
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

/* Loads a program from the cache. Returns false if it is missing or the driver rejects it; then
 * the caller builds it from source. */
static bool from_cache(gpu_device_impl *dev, const struct source *source, cl_program *programp) {
    size_t size;
    unsigned char *binary = cache_read(&source->key, &size);
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
        opencl.build_program(program, 1, &dev->device, source->options, NULL, NULL) != CL_SUCCESS) {
        opencl.release_program(program);
        return false;
    }
    *programp = program;
    return true;
}

static enum gpu_status from_source(gpu_device_impl *dev, const struct source *source,
                                   cl_program *programp) {
    cl_int result;
    const char *text[2] = {source->text[0], source->text[1]};
    cl_program program = opencl.create_program_with_source(dev->context, source->parts, text,
                                                           source->length, &result);
    if (result != CL_SUCCESS)
        return opencl_check(result, "clCreateProgramWithSource");
    result = opencl.build_program(program, 1, &dev->device, source->options, NULL, NULL);
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

/* Fails if the process is not allowed to write files of LEAST_FILE bytes. NVIDIA's driver (580)
 * would end such a process (exit status 1) when it builds. */
static enum gpu_status check_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= LEAST_FILE)
        return GPU_OK;
    return gpu_fail(GPU_NOBUILD,
                    "nothing is built where files may have %llu bytes only (RLIMIT_FSIZE)",
                    (unsigned long long)limit.rlim_cur);
}

static enum gpu_status build(gpu_device_impl *dev, const struct source *source,
                             cl_program *programp) {
    enum gpu_status status =
        gpu_stopped() ? gpu_fail(GPU_FAILED, "the program is ending") : check_files();
    if (status == GPU_OK)
        status = from_source(dev, source, programp);
    if (status != GPU_OK)
        return status;
    gpu_log(GPU_LOG_DETAIL, "opencl: program %s: built", source->name);
    to_cache(*programp, &source->key);
    return GPU_OK;
}

/* Builds the program. If another process is building it, waits and loads it from the cache. */
static enum gpu_status build_once(gpu_device_impl *dev, const struct source *source,
                                  cl_program *programp) {
    const bool has_number = source->number != NO_NUMBER;
    const bool begun = !has_number || builds_begin(source->number);
    if (!begun && from_cache(dev, source, programp))
        return GPU_OK;
    enum gpu_status status = build(dev, source, programp);
    if (begun && has_number)
        builds_end(source->number, status == GPU_OK);
    else
        builds_count();
    return status;
}

static bool mentions(const struct source *source, const char *word) {
    for (cl_uint i = 0; i < source->parts; i++)
        if (memmem(source->text[i], source->length[i], word, strlen(word)))
            return true;
    return false;
}

/* Sets the compiler options. A program whose source does not mention ON_CPU has the same options
 * with gpu_use_kernels_of_gpus, so that one build serves both. */
static void make_options(const gpu_device_impl *dev, struct source *source, const char *defines) {
    snprintf(source->options, sizeof source->options, "-cl-std=CL1.2 -DLOCAL_BYTES=%llu %s%s%s",
             (unsigned long long)dev->local_bytes, defines, dev->is_cpu ? " -DWIDE_MULTIPLY" : "",
             dev->simd && mentions(source, "ON_CPU") ? " -DON_CPU" : "");
    make_key(dev, source);
}

/* Sets *source to the source of a program. Returns false if the file of the kernels (images.bin)
 * was not found. */
static bool make_source(const gpu_device_impl *dev, enum gpu_program program,
                        struct source *source) {
    const struct gpu_source *embedded = &gpu_sources[program];
    const unsigned char *images = gpu_images();
    if (!images)
        return false;
    *source = (struct source){.number = program,
                              .name = embedded->name,
                              .parts = 1,
                              .text = {(const char *)images + embedded->place},
                              .length = {embedded->length}};
    make_options(dev, source, embedded->defines);
    return true;
}

static bool is_missing(const void *dev, enum gpu_program program) {
    struct source source;
    return make_source(dev, program, &source) && !cache_has(&source.key);
}

/* Starts builds of missing programs for a CPU. The cache had the requested program, but others may
 * be missing, unless a mark in the cache (built_mark.h) says that all are there. */
static void look_for_others(const gpu_device_impl *dev) {
    if (dev->simd && !builds_are_forbidden(dev->is_cpu) && !gpu_cpu_is_built())
        builds_ahead(dev->index, dev->simd, is_missing, dev);
}

/* Gets a program: loads it from the cache, builds it, or waits for a helper process that builds
 * it. */
static enum gpu_status get(gpu_device_impl *dev, const struct source *source,
                           cl_program *programp) {
    if (gpu_stopped())
        return gpu_fail(GPU_FAILED, "the program is ending");
    if (from_cache(dev, source, programp)) {
        gpu_log(GPU_LOG_DETAIL, "opencl: program %s: from the cache", source->name);
        look_for_others(dev);
        return GPU_OK;
    }
    if (builds_are_forbidden(dev->is_cpu))
        return gpu_fail(GPU_NOBUILD, "program %s: not in the cache, and not built here",
                        source->name);
    builds_ahead(dev->index, dev->simd, is_missing, dev);
    return build_once(dev, source, programp);
}

enum gpu_status opencl_program(gpu_device_impl *dev, enum gpu_kernel kernel) {
    const enum gpu_program program = gpu_kernel_heads[kernel].program;
    struct source source;
    if (dev->program[program])
        return GPU_OK;
    if (!make_source(dev, program, &source))
        return GPU_NOBUILD;
    return get(dev, &source, &dev->program[program]);
}

enum gpu_status opencl_build_ahead(gpu_device_impl *dev, enum gpu_program program) {
    struct source source;
    cl_program built = NULL;
    if (!make_source(dev, program, &source))
        return GPU_NOBUILD;
    if (!builds_take(program))
        return GPU_OK;
    enum gpu_status status = cache_has(&source.key) ? GPU_OK : build(dev, &source, &built);
    if (built)
        opencl.release_program(built);
    builds_end(program, status == GPU_OK);
    return status;
}

enum gpu_status opencl_program_of_text(gpu_device_impl *dev, const struct gpu_text *text,
                                       cl_program *programp) {
    const unsigned char *images = gpu_images();
    if (!images)
        return GPU_NOBUILD;
    struct source source = {.number = NO_NUMBER,
                            .name = "written at run time",
                            .parts = 2,
                            .text = {(const char *)images + gpu_template.place, text->body},
                            .length = {gpu_template.length, strlen(text->body)}};
    /* Disables optimisation for PoCL 3.1, which otherwise miscompiles kernels that compute several
     * products. */
    make_options(dev, &source, dev->is_cpu ? "-cl-opt-disable" : "");
    return get(dev, &source, programp);
}
