/* SPDX-License-Identifier: LGPL-3.0-or-later
 * An OpenCL layer that simulates a device that was reset or that hangs. The variable OPENCL_LAYERS
 * names this library; the ICD loader then calls it instead of the driver. While the file `reset`
 * exists in the folder FAULTYCL, the OpenCL functions that this file replaces fail with error -999.
 * While `hangs` exists, they wait. Each call that fails or waits appends a byte to the file
 * `faults` in that folder. */
#include "config.h" /* must come first: enables system functions beyond C11 */

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RESET = -999 };
#define EXPORT __attribute__((visibility("default")))

static char reset_path[4096], hangs_path[4096], faults_path[4096];
static const cl_icd_dispatch *driver;
static cl_icd_dispatch layer;

static void count_fault(void) {
    int file = open(faults_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 || write(file, ".", 1) < 0)
        return;
    close(file);
}

/* Returns true if the call must fail. Waits while the device hangs. */
static bool fails(void) {
    if (access(hangs_path, F_OK) == 0)
        count_fault();
    while (access(hangs_path, F_OK) == 0)
        usleep(10000);
    bool is_reset = access(reset_path, F_OK) == 0;
    if (is_reset)
        count_fault();
    return is_reset;
}

#define CALL(function, parameters, arguments)                                                      \
    static CL_API_ENTRY cl_int CL_API_CALL faulty_##function parameters {                          \
        return fails() ? RESET : driver->function arguments;                                       \
    }
#define CREATE(type, function, parameters, arguments)                                              \
    static CL_API_ENTRY type CL_API_CALL faulty_##function parameters {                            \
        if (!fails())                                                                              \
            return driver->function arguments;                                                     \
        if (error)                                                                                 \
            *error = RESET;                                                                        \
        return NULL;                                                                               \
    }

CALL(clEnqueueWriteBuffer,
     (cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t n, const void *p, cl_uint k,
      const cl_event *w, cl_event *e),
     (q, m, b, at, n, p, k, w, e))
CALL(clEnqueueReadBuffer,
     (cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t n, void *p, cl_uint k,
      const cl_event *w, cl_event *e),
     (q, m, b, at, n, p, k, w, e))
CALL(clEnqueueFillBuffer,
     (cl_command_queue q, cl_mem m, const void *p, size_t size, size_t at, size_t n, cl_uint k,
      const cl_event *w, cl_event *e),
     (q, m, p, size, at, n, k, w, e))
CALL(clEnqueueNDRangeKernel,
     (cl_command_queue q, cl_kernel f, cl_uint d, const size_t *at, const size_t *n,
      const size_t *group, cl_uint k, const cl_event *w, cl_event *e),
     (q, f, d, at, n, group, k, w, e))
CALL(clEnqueueMarkerWithWaitList, (cl_command_queue q, cl_uint k, const cl_event *w, cl_event *e),
     (q, k, w, e))
CALL(clSetKernelArg, (cl_kernel f, cl_uint i, size_t n, const void *p), (f, i, n, p))
CALL(clWaitForEvents, (cl_uint n, const cl_event *events), (n, events))
CALL(clFlush, (cl_command_queue q), (q))
CALL(clFinish, (cl_command_queue q), (q))
CREATE(cl_mem, clCreateBuffer, (cl_context c, cl_mem_flags flags, size_t n, void *p, cl_int *error),
       (c, flags, n, p, error))
CREATE(cl_command_queue, clCreateCommandQueue,
       (cl_context c, cl_device_id d, cl_command_queue_properties properties, cl_int *error),
       (c, d, properties, error))
CREATE(cl_kernel, clCreateKernel, (cl_program p, const char *name, cl_int *error), (p, name, error))
CREATE(void *, clEnqueueMapBuffer,
       (cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags flags, size_t at, size_t n, cl_uint k,
        const cl_event *w, cl_event *e, cl_int *error),
       (q, m, b, flags, at, n, k, w, e, error))

EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t room, void *value,
                                                      size_t *size) {
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (name != CL_LAYER_API_VERSION || (value && room < sizeof version))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, &version, sizeof version);
    if (size)
        *size = sizeof version;
    return CL_SUCCESS;
}

static void name_files(const char *folder) {
    snprintf(reset_path, sizeof reset_path, "%s/reset", folder);
    snprintf(hangs_path, sizeof hangs_path, "%s/hangs", folder);
    snprintf(faults_path, sizeof faults_path, "%s/faults", folder);
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target,
                                                   cl_uint *layer_entries,
                                                   const cl_icd_dispatch **dispatch) {
    const char *folder = getenv("FAULTYCL");
    if (!folder || !layer_entries || entries < sizeof layer / sizeof(void *))
        return CL_INVALID_VALUE;
    name_files(folder);
    driver = target;
    layer = *target;
#define FAULTY(function) layer.function = faulty_##function;
    FAULTY(clEnqueueWriteBuffer)
    FAULTY(clEnqueueReadBuffer)
    FAULTY(clEnqueueFillBuffer)
    FAULTY(clEnqueueNDRangeKernel)
    FAULTY(clEnqueueMarkerWithWaitList)
    FAULTY(clSetKernelArg)
    FAULTY(clWaitForEvents)
    FAULTY(clFlush)
    FAULTY(clFinish)
    FAULTY(clCreateBuffer)
    FAULTY(clCreateCommandQueue)
    FAULTY(clCreateKernel)
    FAULTY(clEnqueueMapBuffer)
#undef FAULTY
    *layer_entries = sizeof layer / sizeof(void *);
    *dispatch = &layer;
    return CL_SUCCESS;
}
