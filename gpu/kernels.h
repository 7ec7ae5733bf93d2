/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The kernels of an open device, for all backends. */
#ifndef MPGPU_GPU_KERNELS_H
#define MPGPU_GPU_KERNELS_H

#include <pthread.h>
#include <stdatomic.h>

#include "gpu/gpu.h"

/* The kernels that have been created; all NULL at first. */
struct gpu_kernels {
    _Atomic(gpu_kernel_impl *) made[GPU_KERNELS];
};

/* Makes a kernel of the device, whose mutex is held. */
typedef enum gpu_status gpu_kernels_make(gpu_device_impl *dev, enum gpu_kernel id,
                                         gpu_kernel_impl **kernelp);

/* Returns the kernel, which is created at first use.  GPU_NOBUILD if `id` is out of range.  Any
 * thread. */
enum gpu_status gpu_kernels_get(struct gpu_kernels *kernels, pthread_mutex_t *mutex,
                                gpu_device_impl *dev, gpu_kernels_make *make, enum gpu_kernel id,
                                gpu_kernel_impl **kernelp);

/* ---- programs that are written at run time (gpu/gpu.h: struct gpu_text): texts.c */

/* The kernel's name in each of them. */
#define GPU_TEXT_KERNEL "from_text"

/* Kernels from text of an open device, created or failed; all 0 at first. */
struct gpu_texts {
    unsigned count;
    struct gpu_text_made {
        char *body;
        gpu_kernel_impl *kernel; /* NULL: it does not build */
    } made[GPU_TEXTS];
};

/* Makes one; the device's mutex is held. */
typedef enum gpu_status gpu_texts_make(gpu_device_impl *dev, const struct gpu_text *text,
                                       gpu_kernel_impl **kernelp);

/* Returns the kernel, which is created at first use; a failed build is not repeated.  Any
 * thread. */
enum gpu_status gpu_texts_get(struct gpu_texts *texts, pthread_mutex_t *mutex, gpu_device_impl *dev,
                              gpu_texts_make *make, const struct gpu_text *text,
                              gpu_kernel_impl **kernelp);

/* Forgets them, after release(kernel) of each; release may be NULL. */
void gpu_texts_close(struct gpu_texts *texts, void (*release)(gpu_kernel_impl *kernel));

#endif
