/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Loads libOpenCL.so.1, and converts OpenCL's error codes to enum gpu_status. */
#include "gpu/opencl_driver.h"

#include "gpu/driver.h"
#include "gpu/error.h"
#include "gpu/gpu.h"

struct opencl_driver opencl;

#define OPENCL_NAME(slot, symbol) #symbol "\0"
static struct driver driver = {
    .backend = "opencl",
    .library = "libOpenCL.so.1",
    .symbols = OPENCL_FUNCTIONS(OPENCL_NAME),
    .functions = &opencl,
    .mutex = PTHREAD_MUTEX_INITIALIZER,
};

enum gpu_status opencl_load(void) {
    return driver_get(&driver);
}

static enum gpu_status status_of(cl_int result) {
    switch (result) {
    case CL_SUCCESS:
        return GPU_OK;
    case CL_DEVICE_NOT_FOUND:
    case CL_DEVICE_NOT_AVAILABLE:
        return GPU_ABSENT;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
        return GPU_NOMEM;
    case CL_COMPILER_NOT_AVAILABLE:
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_INVALID_BINARY:
    case CL_INVALID_PROGRAM_EXECUTABLE:
    case CL_INVALID_KERNEL_NAME:
        return GPU_NOBUILD;
    default:
        return GPU_FAILED;
    }
}

enum gpu_status opencl_check(cl_int result, const char *what) {
    if (result == CL_SUCCESS)
        return GPU_OK;
    return gpu_fail(status_of(result), "%s: OpenCL error %d", what, (int)result);
}
