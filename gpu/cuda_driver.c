/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Loads libcuda.so.1, and converts its error codes to enum gpu_status. */
#include "gpu/cuda_driver.h"

#include "gpu/driver.h"
#include "gpu/error.h"
#include "gpu/gpu.h"

struct cuda_driver cuda;

static enum gpu_status init(void) {
    return cuda_check(cuda.init(0), "cuInit");
}

#define CUDA_NAME(slot, symbol) #symbol "\0"
/* Loads libcuda.so.1, which belongs to the driver; libcuda.so may be a stub of the CUDA toolkit. */
static struct driver driver = {
    .backend = "cuda",
    .library = "libcuda.so.1",
    .symbols = CUDA_FUNCTIONS(CUDA_NAME),
    .functions = &cuda,
    .init = init,
    .mutex = PTHREAD_MUTEX_INITIALIZER,
};

enum gpu_status cuda_load(void) {
    return driver_get(&driver);
}

void cuda_ignore_captures(void) {
    static THREAD_MEMORY bool is_said;
    bool *said = THREAD_MEMORY_GET(is_said);
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (said && *said)
        return;
    bool is_done = cuda.exchange_capture_mode(&mode) == CUDA_SUCCESS;
    if (said)
        *said = is_done;
}

static enum gpu_status status_of(CUresult result) {
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

enum gpu_status cuda_check(CUresult result, const char *what) {
    if (result == CUDA_SUCCESS)
        return GPU_OK;
    const char *name = NULL, *text = NULL;
    cuda.get_error_name(result, &name);
    cuda.get_error_string(result, &text);
    return gpu_fail(status_of(result), "%s: %s (%s)", what, name ? name : "unknown error",
                    text ? text : "no text");
}
