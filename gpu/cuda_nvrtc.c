/* SPDX-License-Identifier: LGPL-3.0-or-later
 * CUDA backend: NVIDIA's run-time compiler. Its library libnvrtc is not part of the driver.
 * Without it, kernels generated at run time cannot be built. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/cache.h"
#include "gpu/cuda_impl.h"
#include "gpu/driver.h"
#include "gpu/error.h"
#include "gpu/images.h"
#include "gpu/kernels.h"

/* The functions of libnvrtc that are used here. Their interface has been the same since CUDA
 * 11.1. */
typedef struct nvrtc_program *nvrtc_program;
static struct {
    int (*version)(int *major, int *minor);
    int (*create)(nvrtc_program *program, const char *source, const char *name, int headers,
                  const char *const *texts, const char *const *names);
    int (*destroy)(nvrtc_program *program);
    int (*compile)(nvrtc_program program, int count, const char *const *options);
    int (*code_size)(nvrtc_program program, size_t *size);
    int (*code)(nvrtc_program program, char *code);
    int (*log_size)(nvrtc_program program, size_t *size);
    int (*log)(nvrtc_program program, char *text);
} nvrtc;

/* The names of the functions, in the order of the pointers in `nvrtc`. */
static const char symbols[] = "nvrtcVersion\0"
                              "nvrtcCreateProgram\0"
                              "nvrtcDestroyProgram\0"
                              "nvrtcCompileProgram\0"
                              "nvrtcGetCUBINSize\0"
                              "nvrtcGetCUBIN\0"
                              "nvrtcGetProgramLogSize\0"
                              "nvrtcGetProgramLog\0";

#define NVRTC(file)                                                                                \
    {                                                                                              \
        .backend = "cuda", .library = file, .symbols = symbols, .functions = &nvrtc,               \
        .mutex = PTHREAD_MUTEX_INITIALIZER,                                                        \
    }

/* Libraries to try, the newest version first. Names that the loader searches in its usual folders
 * come before paths into the CUDA toolkit's folder, which it does not search. */
static struct driver libraries[] = {
    NVRTC("libnvrtc.so.13"),
    NVRTC("libnvrtc.so.12"),
    NVRTC("libnvrtc.so.11.2"),
    NVRTC("libnvrtc.so"),
    NVRTC("/usr/local/cuda/lib64/libnvrtc.so"),
};

static enum gpu_status load(void) {
    enum gpu_status status = GPU_ABSENT;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && status != GPU_OK; i++)
        status = driver_get(&libraries[i]);
    return status == GPU_OK ? GPU_OK : gpu_fail(GPU_NOBUILD, "no libnvrtc on this machine");
}

static void log_build(nvrtc_program program) {
    size_t size = 0;
    char *text;
    if (nvrtc.log_size(program, &size) != 0 || !(text = calloc(1, size + 1)))
        return;
    if (nvrtc.log(program, text) == 0)
        gpu_log(GPU_LOG_WARNING, "cuda: a program written at run time does not build: %.700s",
                text);
    free(text);
}

static enum gpu_status get_code(nvrtc_program program, char **codep, size_t *size) {
    if (nvrtc.code_size(program, size) != 0 || *size == 0)
        return gpu_fail(GPU_NOBUILD, "libnvrtc: no code");
    if (!(*codep = malloc(*size)))
        return gpu_fail(GPU_NOMEM, "no host memory");
    return nvrtc.code(program, *codep) == 0 ? GPU_OK : gpu_fail(GPU_NOBUILD, "libnvrtc: no code");
}

static enum gpu_status compile(const char *source, const char *target, char **codep, size_t *size) {
    const char *const options[] = {target, "-std=c++14", "-default-device"};
    nvrtc_program program = NULL;
    if (nvrtc.create(&program, source, "expression", 0, NULL, NULL) != 0)
        return gpu_fail(GPU_NOBUILD, "nvrtcCreateProgram");
    int result = nvrtc.compile(program, sizeof options / sizeof *options, options);
    enum gpu_status status = result == 0 ? get_code(program, codep, size)
                                         : gpu_fail(GPU_NOBUILD, "libnvrtc: error %d", result);
    if (result != 0)
        log_build(program);
    nvrtc.destroy(&program);
    return status;
}

/* Returns the complete source text of a program generated at run time. The caller frees it. */
static char *whole_text(const struct gpu_text *text) {
    const unsigned char *images = gpu_images();
    size_t size = gpu_template.length + strlen(text->body) + 1;
    char *whole = images ? malloc(size) : NULL;
    if (whole)
        snprintf(whole, size, "%s%s", (const char *)images + gpu_template.place, text->body);
    return whole;
}

static enum gpu_status build(const char *source, const char *target, char **codep) {
    char version[32];
    struct cache_key key;
    int major = 0, minor = 0;
    size_t size = 0;
    nvrtc.version(&major, &minor);
    snprintf(version, sizeof version, "nvrtc %d.%d", major, minor);
    cache_key_make(&key, (const char *const[]){source, target, version, NULL});
    *codep = cache_read(&key, &size);
    if (*codep)
        return GPU_OK;
    if (gpu_stopped())
        return gpu_fail(GPU_FAILED, "the program is ending");
    enum gpu_status status = compile(source, target, codep, &size);
    if (status == GPU_OK) {
        gpu_log(GPU_LOG_DETAIL, "cuda: a program written at run time: built, %zu bytes", size);
        cache_write(&key, *codep, size);
        return GPU_OK;
    }
    free(*codep);
    *codep = NULL;
    return status;
}

enum gpu_status cuda_nvrtc_build(const struct gpu_text *text, int major, int minor, char **codep) {
    char target[40];
    enum gpu_status status = load();
    if (status != GPU_OK)
        return status;
    char *source = whole_text(text);
    if (!source)
        return gpu_fail(GPU_NOMEM, "no host memory");
    snprintf(target, sizeof target, "--gpu-architecture=sm_%d%d", major, minor);
    status = build(source, target, codep);
    free(source);
    return status;
}
