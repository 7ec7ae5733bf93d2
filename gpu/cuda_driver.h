/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The complete list of the CUDA driver's functions that the backend loads at run time. The names
 * are the driver's real symbols, because cuda.h renames some functions by macros. */
#ifndef MPGPU_CUDA_DRIVER_H
#define MPGPU_CUDA_DRIVER_H

#include <cuda.h>

/* Declared here, because cuda.h of CUDA 13 only declares a later version, which older drivers
 * lack. */
CUresult CUDAAPI cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);

/* Since this version, CUDA graphs may contain launches that follow others early (struct
 * gpu_kernel_impl). */
#define CUDA_FOLLOWS_VERSION 12030
#if CUDA_VERSION >= CUDA_FOLLOWS_VERSION
#define CUDA_LAUNCH_EX(X) X(launch_kernel_ex, cuLaunchKernelEx)
#else
#define CUDA_LAUNCH_EX(X)
#endif

#define CUDA_FUNCTIONS(X)                                                                          \
    CUDA_LAUNCH_EX(X)                                                                              \
    X(init, cuInit)                                                                                \
    X(driver_get_version, cuDriverGetVersion)                                                      \
    X(get_error_name, cuGetErrorName)                                                              \
    X(get_error_string, cuGetErrorString)                                                          \
    X(device_get_count, cuDeviceGetCount)                                                          \
    X(device_get, cuDeviceGet)                                                                     \
    X(device_get_name, cuDeviceGetName)                                                            \
    X(device_get_attribute, cuDeviceGetAttribute)                                                  \
    X(device_total_mem, cuDeviceTotalMem_v2)                                                       \
    X(device_get_uuid, cuDeviceGetUuid_v2)                                                         \
    X(ctx_create, cuCtxCreate_v2)                                                                  \
    X(ctx_destroy, cuCtxDestroy_v2)                                                                \
    X(ctx_push_current, cuCtxPushCurrent_v2)                                                       \
    X(ctx_pop_current, cuCtxPopCurrent_v2)                                                         \
    X(mem_alloc, cuMemAlloc_v2)                                                                    \
    X(mem_free, cuMemFree_v2)                                                                      \
    X(mem_get_granularity, cuMemGetAllocationGranularity)                                          \
    X(mem_create, cuMemCreate)                                                                     \
    X(mem_drop, cuMemRelease)                                                                      \
    X(mem_reserve, cuMemAddressReserve)                                                            \
    X(mem_unreserve, cuMemAddressFree)                                                             \
    X(mem_map, cuMemMap)                                                                           \
    X(mem_unmap, cuMemUnmap)                                                                       \
    X(mem_set_access, cuMemSetAccess)                                                              \
    X(mem_export, cuMemExportToShareableHandle)                                                    \
    X(mem_host_alloc, cuMemHostAlloc)                                                              \
    X(mem_free_host, cuMemFreeHost)                                                                \
    X(mem_host_register, cuMemHostRegister_v2)                                                     \
    X(mem_host_unregister, cuMemHostUnregister)                                                    \
    X(stream_create, cuStreamCreate)                                                               \
    X(stream_destroy, cuStreamDestroy_v2)                                                          \
    X(stream_wait_event, cuStreamWaitEvent)                                                        \
    X(memcpy_htod_async, cuMemcpyHtoDAsync_v2)                                                     \
    X(memcpy_dtoh_async, cuMemcpyDtoHAsync_v2)                                                     \
    X(memset_d8_async, cuMemsetD8Async)                                                            \
    X(memcpy_dtod_async, cuMemcpyDtoDAsync_v2)                                                     \
    X(memcpy_peer_async, cuMemcpyPeerAsync)                                                        \
    X(device_can_access_peer, cuDeviceCanAccessPeer)                                               \
    X(ctx_enable_peer_access, cuCtxEnablePeerAccess)                                               \
    X(module_load_data, cuModuleLoadData)                                                          \
    X(module_unload, cuModuleUnload)                                                               \
    X(module_get_function, cuModuleGetFunction)                                                    \
    X(func_set_attribute, cuFuncSetAttribute)                                                      \
    X(func_get_attribute, cuFuncGetAttribute)                                                      \
    X(launch_kernel, cuLaunchKernel)                                                               \
    X(exchange_capture_mode, cuThreadExchangeStreamCaptureMode)                                    \
    X(capture_begin, cuStreamBeginCapture_v2)                                                      \
    X(capture_end, cuStreamEndCapture)                                                             \
    X(graph_instantiate, cuGraphInstantiateWithFlags)                                              \
    X(graph_launch, cuGraphLaunch)                                                                 \
    X(graph_destroy, cuGraphDestroy)                                                               \
    X(graph_exec_destroy, cuGraphExecDestroy)                                                      \
    X(event_create, cuEventCreate)                                                                 \
    X(event_record, cuEventRecord)                                                                 \
    X(event_query, cuEventQuery)                                                                   \
    X(event_destroy, cuEventDestroy_v2)

struct cuda_driver {
#define CUDA_SLOT(slot, symbol) __typeof__(&symbol) slot;
    CUDA_FUNCTIONS(CUDA_SLOT)
#undef CUDA_SLOT
};

/* The driver's functions; valid after cuda_load() has returned GPU_OK. */
extern struct cuda_driver cuda;

/* Loads and initialises the driver at the first call. Returns GPU_OK or GPU_ABSENT. */
enum gpu_status cuda_load(void);

/* Makes the calling thread ignore other threads' captures permanently.  Otherwise, while a thread
 * of the program captures a stream globally, calls such as cuMemAlloc fail in all other threads and
 * end the capture. */
void cuda_ignore_captures(void);

/* Converts a result: GPU_OK for CUDA_SUCCESS; otherwise sets the error text, with `what` before it,
 * and returns the matching status. */
enum gpu_status cuda_check(CUresult result, const char *what);

#endif
