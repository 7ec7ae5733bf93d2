/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Loading libcuda.so.1, and what its error codes mean to us. */
#include "cuda_driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "error.h"
#include "gpu.h"

struct cuda_driver cuda;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int load_status = GPU_ABSENT;
static char load_text[256];

/* A function pointer from dlsym, without a cast that ISO C lacks; the symbol's
 * name on failure, else NULL. */
static const char *get_symbol(void *library, const char *name, void *slot) {
    void *symbol = dlsym(library, name);
    memcpy(slot, &symbol, sizeof symbol);
    return symbol ? NULL : name;
}

/* The first symbol that the library lacks, or NULL. */
static const char *get_symbols(void *library) {
    const char *missing = NULL;
#define CUDA_GET(slot, symbol)                                                                     \
    if (!missing)                                                                                  \
        missing = get_symbol(library, #symbol, &cuda.slot);
    CUDA_FUNCTIONS(CUDA_GET)
#undef CUDA_GET
    return missing;
}

/* libcuda.so.1 is the driver's; libcuda.so may be a toolkit's stub. */
static int load(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return gpu_fail(GPU_ABSENT, "%s", dlerror());
    const char *missing = get_symbols(library);
    if (missing) {
        dlclose(library);
        return gpu_fail(GPU_ABSENT, "libcuda.so.1 has no %s", missing);
    }
    return cuda_check(cuda.init(0), "cuInit") == GPU_OK ? GPU_OK : GPU_ABSENT;
}

static void load_once(void) {
    load_status = load();
    if (load_status != GPU_OK) {
        strncpy(load_text, gpu_error_text(), sizeof load_text - 1);
        gpu_log(GPU_LOG_DETAIL, "cuda: %s", load_text);
    }
}

int cuda_load(void) {
    pthread_once(&once, load_once);
    return load_status == GPU_OK ? GPU_OK : gpu_fail(load_status, "%s", load_text);
}

static int status_of(CUresult result) {
    switch (result) {
    case CUDA_SUCCESS:
        return GPU_OK;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_DEVICE:
    case CUDA_ERROR_STUB_LIBRARY:
        return GPU_ABSENT;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return GPU_NOMEM;
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_NOT_FOUND:
        return GPU_NOBUILD;
    default:
        return GPU_FAILED;
    }
}

int cuda_check(CUresult result, const char *what) {
    if (result == CUDA_SUCCESS)
        return GPU_OK;
    const char *name = NULL, *text = NULL;
    cuda.get_error_name(result, &name);
    cuda.get_error_string(result, &text);
    return gpu_fail(status_of(result), "%s: %s (%s)", what, name ? name : "unknown error",
                    text ? text : "no text");
}
