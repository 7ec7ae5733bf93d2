/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The complete list of OpenCL functions that the backend uses, all of version 1.2. They are
 * loaded at run time from the ICD loader libOpenCL.so.1. */
#ifndef MPGPU_OPENCL_DRIVER_H
#define MPGPU_OPENCL_DRIVER_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>

#define OPENCL_FUNCTIONS(X)                                                                        \
    X(get_platform_ids, clGetPlatformIDs)                                                          \
    X(get_platform_info, clGetPlatformInfo)                                                        \
    X(get_device_ids, clGetDeviceIDs)                                                              \
    X(get_device_info, clGetDeviceInfo)                                                            \
    X(create_context, clCreateContext)                                                             \
    X(release_context, clReleaseContext)                                                           \
    X(create_command_queue, clCreateCommandQueue)                                                  \
    X(release_command_queue, clReleaseCommandQueue)                                                \
    X(create_buffer, clCreateBuffer)                                                               \
    X(release_mem_object, clReleaseMemObject)                                                      \
    X(enqueue_map_buffer, clEnqueueMapBuffer)                                                      \
    X(enqueue_unmap_mem_object, clEnqueueUnmapMemObject)                                           \
    X(enqueue_write_buffer, clEnqueueWriteBuffer)                                                  \
    X(enqueue_read_buffer, clEnqueueReadBuffer)                                                    \
    X(enqueue_copy_buffer, clEnqueueCopyBuffer)                                                    \
    X(enqueue_fill_buffer, clEnqueueFillBuffer)                                                    \
    X(create_program_with_source, clCreateProgramWithSource)                                       \
    X(create_program_with_binary, clCreateProgramWithBinary)                                       \
    X(build_program, clBuildProgram)                                                               \
    X(get_program_info, clGetProgramInfo)                                                          \
    X(get_program_build_info, clGetProgramBuildInfo)                                               \
    X(release_program, clReleaseProgram)                                                           \
    X(create_kernel, clCreateKernel)                                                               \
    X(release_kernel, clReleaseKernel)                                                             \
    X(set_kernel_arg, clSetKernelArg)                                                              \
    X(enqueue_nd_range_kernel, clEnqueueNDRangeKernel)                                             \
    X(enqueue_marker, clEnqueueMarkerWithWaitList)                                                 \
    X(wait_for_events, clWaitForEvents)                                                            \
    X(create_user_event, clCreateUserEvent)                                                        \
    X(set_user_event_status, clSetUserEventStatus)                                                 \
    X(retain_event, clRetainEvent)                                                                 \
    X(release_event, clReleaseEvent)                                                               \
    X(flush, clFlush)                                                                              \
    X(finish, clFinish)

struct opencl_driver {
#define OPENCL_SLOT(slot, symbol) __typeof__(&symbol) slot;
    OPENCL_FUNCTIONS(OPENCL_SLOT)
#undef OPENCL_SLOT
};

/* The functions of the ICD loader; valid after opencl_load() has returned GPU_OK. */
extern struct opencl_driver opencl;

/* Loads the ICD loader at the first call. Returns GPU_OK or GPU_ABSENT. */
enum gpu_status opencl_load(void);

/* Converts an OpenCL result: returns GPU_OK for CL_SUCCESS. Otherwise sets the error text to
 * `what` and the error's number, and returns the matching status. */
enum gpu_status opencl_check(cl_int result, const char *what);

#endif
