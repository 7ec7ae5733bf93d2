/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The created kernels of an open device, for all backends. */
#ifndef MPGPU_GPU_KERNELS_H
#define MPGPU_GPU_KERNELS_H

#include <pthread.h>
#include <stdatomic.h>

#include "gpu/gpu.h"

/* The device's kernels that have been created; NULL for all others. */
struct gpu_kernels {
    _Atomic(gpu_kernel_impl *) made[GPU_KERNELS];
};

/* A backend's function that creates a kernel. The caller holds the device's mutex. */
typedef enum gpu_status gpu_kernels_make(gpu_device_impl *dev, enum gpu_kernel id,
                                         gpu_kernel_impl **kernelp);

/* Returns a kernel; creates it by `make` at first use. GPU_NOBUILD if `id` is out of range. Any
 * thread may call it. */
enum gpu_status gpu_kernels_get(struct gpu_kernels *kernels, pthread_mutex_t *mutex,
                                gpu_device_impl *dev, gpu_kernels_make *make, enum gpu_kernel id,
                                gpu_kernel_impl **kernelp);

/* ---- kernels of programs generated at run time (struct gpu_text of gpu/gpu.h); code in texts.c */

/* The name of the kernel in every program generated at run time. */
#define GPU_TEXT_KERNEL "from_text"

/* The programs generated at run time for an open device: their kernels, and which builds failed.
 * All 0 at first. */
struct gpu_texts {
    unsigned count;
    struct gpu_text_made {
        char *body;
        gpu_kernel_impl *kernel; /* NULL: the program does not build */
    } made[GPU_TEXTS];
};

/* A backend's function that builds a kernel of a program generated at run time. The caller holds
 * the device's mutex. */
typedef enum gpu_status gpu_texts_make(gpu_device_impl *dev, const struct gpu_text *text,
                                       gpu_kernel_impl **kernelp);

/* Returns the kernel of a generated program; builds it by `make` at first use. A build that ended
 * with GPU_NOBUILD is not repeated. Any thread may call it. */
enum gpu_status gpu_texts_get(struct gpu_texts *texts, pthread_mutex_t *mutex, gpu_device_impl *dev,
                              gpu_texts_make *make, const struct gpu_text *text,
                              gpu_kernel_impl **kernelp);

/* Empties the table. Calls release(kernel) for each kernel first, unless release is NULL. */
void gpu_texts_close(struct gpu_texts *texts, void (*release)(gpu_kernel_impl *kernel));

#endif
