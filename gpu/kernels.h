/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The kernels of an open device, for all backends. */
#ifndef MPGPU_GPU_KERNELS_H
#define MPGPU_GPU_KERNELS_H

#include <pthread.h>
#include <stdatomic.h>

#include "gpu/gpu.h"

/* Those that were made so far; all NULL at first. */
struct gpu_kernels {
    _Atomic(gpu_kernel_impl *) made[GPU_KERNELS];
};

/* Makes a kernel of the device, whose mutex is held. */
typedef enum gpu_status gpu_kernels_make(gpu_device_impl *dev, enum gpu_kernel id,
                                         gpu_kernel_impl **kernelp);

/* The kernel, made at first use.  GPU_NOBUILD for an id that is none.  Any thread. */
enum gpu_status gpu_kernels_get(struct gpu_kernels *kernels, pthread_mutex_t *mutex,
                                gpu_device_impl *dev, gpu_kernels_make *make, enum gpu_kernel id,
                                gpu_kernel_impl **kernelp);

#endif
