/* SPDX-License-Identifier: LGPL-3.0-or-later
 * OpenCL backend: kernels and launches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/error.h"
#include "gpu/opencl_impl.h"
#include "gpu/opencl_sources.h"

static int make_kernel(gpu_device_impl *dev, enum gpu_program program, const char *name,
                       gpu_kernel_impl **kernelp) {
    cl_int result;
    int status = opencl_program(dev, program, name);
    if (status != GPU_OK)
        return status;
    gpu_kernel_impl *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return gpu_fail(GPU_NOMEM, "no host memory");
    kernel->kernel = opencl.create_kernel(dev->program[program], name, &result);
    if (result != CL_SUCCESS) {
        free(kernel);
        return opencl_check(result, name);
    }
    pthread_mutex_init(&kernel->mutex, NULL);
    kernel->program = program;
    snprintf(kernel->name, sizeof kernel->name, "%s", name);
    kernel->next = dev->kernels;
    dev->kernels = *kernelp = kernel;
    gpu_log(GPU_LOG_DETAIL, "opencl: kernel %s of program %s", name, gpu_sources[program].name);
    return GPU_OK;
}

static gpu_kernel_impl *find_kernel(gpu_device_impl *dev, enum gpu_program program,
                                    const char *name) {
    gpu_kernel_impl *kernel = dev->kernels;
    while (kernel && (kernel->program != program || strcmp(kernel->name, name) != 0))
        kernel = kernel->next;
    return kernel;
}

int opencl_kernel(gpu_device_impl *dev, enum gpu_program program, const char *name,
                  gpu_kernel_impl **kernelp) {
    int status = GPU_OK;
    pthread_mutex_lock(&dev->mutex);
    *kernelp = find_kernel(dev, program, name);
    if (!*kernelp)
        status = make_kernel(dev, program, name, kernelp);
    pthread_mutex_unlock(&dev->mutex);
    return status;
}

static cl_int set_arg(cl_kernel kernel, cl_uint index, const struct gpu_arg *arg) {
    cl_mem buffer;
    switch (arg->kind) {
    case GPU_ARG_MEM:
        buffer = opencl_mem(arg->v.mem);
        return opencl.set_kernel_arg(kernel, index, sizeof buffer, &buffer);
    case GPU_ARG_U32:
        return opencl.set_kernel_arg(kernel, index, sizeof arg->v.u32, &arg->v.u32);
    default:
        return opencl.set_kernel_arg(kernel, index, sizeof arg->v.u64, &arg->v.u64);
    }
}

/* A kernel's arguments belong to the kernel, not to the launch, hence the mutex. */
int opencl_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned groups_x,
                  unsigned groups_y, unsigned local, const struct gpu_arg *args, unsigned nargs) {
    size_t global_size[2] = {(size_t)groups_x * local, groups_y}, local_size[2] = {local, 1};
    cl_int result = CL_SUCCESS;
    pthread_mutex_lock(&kernel->mutex);
    for (unsigned i = 0; i < nargs && result == CL_SUCCESS; i++)
        result = set_arg(kernel->kernel, i, &args[i]);
    if (result == CL_SUCCESS)
        result = opencl.enqueue_nd_range_kernel(queue->queue, kernel->kernel, 2, NULL, global_size,
                                                local_size, OPENCL_WAITS(queue), NULL);
    pthread_mutex_unlock(&kernel->mutex);
    return opencl_put(queue, NULL, result, kernel->name);
}

void opencl_kernels_close(gpu_device_impl *dev) {
    while (dev->kernels) {
        gpu_kernel_impl *kernel = dev->kernels;
        dev->kernels = kernel->next;
        opencl.release_kernel(kernel->kernel);
        pthread_mutex_destroy(&kernel->mutex);
        free(kernel);
    }
    for (int i = 0; i < GPU_PROGRAMS; i++)
        if (dev->program[i])
            opencl.release_program(dev->program[i]);
}
