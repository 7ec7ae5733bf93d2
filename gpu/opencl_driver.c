/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Loading libOpenCL.so.1, and what OpenCL's error codes mean to us. */
#include "opencl_driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "error.h"
#include "gpu.h"

struct opencl_driver opencl;

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
#define OPENCL_GET(slot, symbol)                                                                   \
    if (!missing)                                                                                  \
        missing = get_symbol(library, #symbol, &opencl.slot);
    OPENCL_FUNCTIONS(OPENCL_GET)
#undef OPENCL_GET
    return missing;
}

static int load(void) {
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return gpu_fail(GPU_ABSENT, "%s", dlerror());
    const char *missing = get_symbols(library);
    if (missing) {
        dlclose(library);
        return gpu_fail(GPU_ABSENT, "libOpenCL.so.1 has no %s", missing);
    }
    return GPU_OK;
}

static void load_once(void) {
    load_status = load();
    if (load_status != GPU_OK) {
        strncpy(load_text, gpu_error_text(), sizeof load_text - 1);
        gpu_log(GPU_LOG_DETAIL, "opencl: %s", load_text);
    }
}

int opencl_load(void) {
    pthread_once(&once, load_once);
    return load_status == GPU_OK ? GPU_OK : gpu_fail(load_status, "%s", load_text);
}

static int status_of(cl_int result) {
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

int opencl_check(cl_int result, const char *what) {
    if (result == CL_SUCCESS)
        return GPU_OK;
    return gpu_fail(status_of(result), "%s: OpenCL error %d", what, (int)result);
}
