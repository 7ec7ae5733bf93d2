/* SPDX-License-Identifier: LGPL-3.0-or-later
 * CUDA backend: memory of one process's device that another process of the host copies from.  The
 * handles are of memory from cuMemAlloc, which all of ours is. */
#include <string.h>

#include "gpu/cuda_impl.h"
#include "gpu/error.h"

_Static_assert(sizeof(CUipcMemHandle) == sizeof((struct gpu_ipc_handle){0}.bytes), "all bytes");

static bool has_ipc(void) {
    return cuda.ipc_get_mem_handle && cuda.ipc_open_mem_handle && cuda.ipc_close_mem_handle;
}

/* The context is entered if the driver has such functions. */
static enum gpu_status begin(const gpu_device_impl *dev) {
    return has_ipc() ? cuda_enter(dev) : gpu_fail(GPU_ABSENT, "the driver has no CUDA IPC");
}

enum gpu_status cuda_ipc_handle(gpu_device_impl *dev, gpu_mem mem, struct gpu_ipc_handle *handle) {
    CUipcMemHandle cuda_handle = {0};
    enum gpu_status status = begin(dev);
    if (status != GPU_OK)
        return status;
    status = cuda_check(cuda.ipc_get_mem_handle(&cuda_handle, mem.h), "cuIpcGetMemHandle");
    cuda_leave();
    memcpy(handle->bytes, &cuda_handle, sizeof cuda_handle);
    return status;
}

/* Of another device only where the two have access to each other. */
enum gpu_status cuda_ipc_open(gpu_device_impl *dev, const struct gpu_ipc_handle *handle,
                              gpu_mem *memp) {
    CUipcMemHandle cuda_handle;
    CUdeviceptr pointer = 0;
    memcpy(&cuda_handle, handle->bytes, sizeof cuda_handle);
    enum gpu_status status = begin(dev);
    if (status != GPU_OK)
        return status;
    status = cuda_check(
        cuda.ipc_open_mem_handle(&pointer, cuda_handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
        "cuIpcOpenMemHandle");
    cuda_leave();
    memp->h = pointer;
    return status;
}

void cuda_ipc_close(gpu_device_impl *dev, gpu_mem mem) {
    if (mem.h == 0 || begin(dev) != GPU_OK)
        return;
    cuda.ipc_close_mem_handle(mem.h);
    cuda_leave();
}
