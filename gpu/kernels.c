/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The table of all kernels, and the created kernels of an open device. */
#include "gpu/kernels.h"

#include "gpu/build/builds.h"
#include "gpu/error.h"

const struct gpu_kernel_head gpu_kernel_heads[GPU_KERNELS] = {
#define KERNEL_OF(program, name, threads, simd_threads, takes, bytes)                              \
    {GPU_PROGRAM_##program, threads, simd_threads, #name, takes, bytes},
#include "kernels/kernels.def"
#undef KERNEL_OF
};

#define KERNEL_OF(program, name, threads, simd_threads, takes, bytes)                              \
    _Static_assert(sizeof #name <= GPU_KERNEL_NAME, "gpu/gpu.h has room for this name");           \
    _Static_assert(sizeof(takes) <= GPU_KERNEL_ARGS, "gpu/gpu.h has room for these arguments");
#include "kernels/kernels.def"
#undef KERNEL_OF

static enum gpu_status make_kernel(struct gpu_kernels *kernels, gpu_device_impl *dev,
                                   gpu_kernels_make *make, enum gpu_kernel id,
                                   gpu_kernel_impl **kernelp) {
    *kernelp = atomic_load_explicit(&kernels->made[id], memory_order_relaxed);
    if (*kernelp)
        return GPU_OK;
    struct builds_clock begun = builds_clock();
    enum gpu_status status = make(dev, id, kernelp);
    builds_wait_ended(begun);
    if (status == GPU_OK)
        atomic_store_explicit(&kernels->made[id], *kernelp, memory_order_release);
    return status;
}

enum gpu_status gpu_kernels_get(struct gpu_kernels *kernels, pthread_mutex_t *mutex,
                                gpu_device_impl *dev, gpu_kernels_make *make, enum gpu_kernel id,
                                gpu_kernel_impl **kernelp) {
    if ((unsigned)id >= GPU_KERNELS)
        return gpu_fail(GPU_NOBUILD, "no kernel %u", (unsigned)id);
    *kernelp = atomic_load_explicit(&kernels->made[id], memory_order_acquire);
    if (*kernelp)
        return GPU_OK;
    pthread_mutex_lock(mutex);
    enum gpu_status status = make_kernel(kernels, dev, make, id, kernelp);
    pthread_mutex_unlock(mutex);
    return status;
}
