/* SPDX-License-Identifier: LGPL-3.0-or-later
 * CUDA backend: programs, kernels, launches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/cuda_fatbins.h"
#include "gpu/cuda_impl.h"
#include "gpu/error.h"

enum { MOST_ARGS = 32 };

/* The program's module, loaded at first use.  The mutex is held, the context
 * entered. */
static int load_module(gpu_device_impl *dev, enum gpu_program program) {
    if (dev->module[program])
        return GPU_OK;
    if (gpu_stopped())
        return gpu_fail(GPU_FAILED, "the program is ending");
    int status =
        cuda_check(cuda.module_load_data(&dev->module[program], gpu_fatbins[program].image),
                   gpu_fatbins[program].name);
    if (status != GPU_OK)
        dev->module[program] = NULL;
    else
        gpu_log(GPU_LOG_DETAIL, "cuda: program %s: loaded", gpu_fatbins[program].name);
    return status;
}

static int make_kernel(gpu_device_impl *dev, enum gpu_program program, const char *name,
                       gpu_kernel_impl **kernelp) {
    int status = load_module(dev, program);
    if (status != GPU_OK)
        return status;
    gpu_kernel_impl *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return gpu_fail(GPU_NOMEM, "no host memory");
    status =
        cuda_check(cuda.module_get_function(&kernel->function, dev->module[program], name), name);
    if (status != GPU_OK) {
        free(kernel);
        return status;
    }
    /* Clusters of 16; where there are none this is refused, and nothing needs it. */
    cuda.func_set_attribute(kernel->function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                            1);
    kernel->program = program;
    snprintf(kernel->name, sizeof kernel->name, "%s", name);
    kernel->next = dev->kernels;
    dev->kernels = *kernelp = kernel;
    gpu_log(GPU_LOG_DETAIL, "cuda: kernel %s of program %s", name, gpu_fatbins[program].name);
    return GPU_OK;
}

static gpu_kernel_impl *find_kernel(gpu_device_impl *dev, enum gpu_program program,
                                    const char *name) {
    gpu_kernel_impl *kernel = dev->kernels;
    while (kernel && (kernel->program != program || strcmp(kernel->name, name) != 0))
        kernel = kernel->next;
    return kernel;
}

int cuda_kernel(gpu_device_impl *dev, enum gpu_program program, const char *name,
                gpu_kernel_impl **kernelp) {
    int status = GPU_OK;
    pthread_mutex_lock(&dev->mutex);
    *kernelp = find_kernel(dev, program, name);
    if (!*kernelp && (status = cuda_enter(dev)) == GPU_OK) {
        status = make_kernel(dev, program, name, kernelp);
        cuda_leave();
    }
    pthread_mutex_unlock(&dev->mutex);
    return status;
}

int cuda_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned groups_x,
                unsigned groups_y, unsigned local, const struct gpu_arg *args, unsigned nargs) {
    void *params[MOST_ARGS];
    if (nargs > MOST_ARGS)
        return gpu_fail(GPU_FAILED, "%s: %u arguments", kernel->name, nargs);
    for (unsigned i = 0; i < nargs; i++)
        params[i] = (void *)&args[i].v; /* every member begins where the union does */
    int status = cuda_enter(queue->dev);
    if (status != GPU_OK)
        return status;
    status = cuda_check(cuda.launch_kernel(kernel->function, groups_x, groups_y, 1, local, 1, 1, 0,
                                           queue->stream, params, NULL),
                        kernel->name);
    cuda_leave();
    return status;
}

void cuda_kernels_close(gpu_device_impl *dev) {
    while (dev->kernels) {
        gpu_kernel_impl *kernel = dev->kernels;
        dev->kernels = kernel->next;
        free(kernel);
    }
    for (int i = 0; i < GPU_PROGRAMS; i++)
        if (dev->module[i])
            cuda.module_unload(dev->module[i]);
}
