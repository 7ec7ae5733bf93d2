/* SPDX-License-Identifier: LGPL-3.0-or-later
 * OpenCL backend: creates and launches kernels. */
#include <stdlib.h>

#include "gpu/error.h"
#include "gpu/images.h"
#include "gpu/opencl_impl.h"

/* Mutexes that serialise launches of one kernel on all CPU devices: one for each kernel, and one
 * for all kernels generated at run time. PoCL 3.1 counts the uses of a kernel for all devices
 * together. If two devices run variants of a kernel for different widths at once, PoCL may abort
 * the process ("found->ref_count > 0"). */
static pthread_mutex_t on_cpus[GPU_KERNELS + 1];
static pthread_once_t on_cpus_once = PTHREAD_ONCE_INIT;

static void init_on_cpus(void) {
    for (int i = 0; i <= GPU_KERNELS; i++)
        pthread_mutex_init(&on_cpus[i], NULL);
}

static void init_mutex(const gpu_device_impl *dev, int id, gpu_kernel_impl *kernel) {
    pthread_mutex_init(&kernel->own, NULL);
    pthread_once(&on_cpus_once, init_on_cpus);
    kernel->mutex = dev->is_cpu ? &on_cpus[id] : &kernel->own;
}

/* Creates the kernel `id` of a program; GPU_KERNELS stands for a kernel generated at run time. */
static enum gpu_status create(const gpu_device_impl *dev, int id, cl_program program,
                              const char *name, unsigned threads, gpu_kernel_impl **kernelp) {
    cl_int result;
    gpu_kernel_impl *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return gpu_fail(GPU_NOMEM, "no host memory");
    kernel->kernel = opencl.create_kernel(program, name, &result);
    if (result != CL_SUCCESS) {
        free(kernel);
        return opencl_check(result, name);
    }
    init_mutex(dev, id, kernel);
    kernel->threads = threads;
    kernel->name = name;
    *kernelp = kernel;
    return GPU_OK;
}

static enum gpu_status make_kernel(gpu_device_impl *dev, enum gpu_kernel id,
                                   gpu_kernel_impl **kernelp) {
    const struct gpu_kernel_head *head = &gpu_kernel_heads[id];
    enum gpu_status status = opencl_program(dev, id);
    if (status == GPU_OK)
        status = create(dev, (int)id, dev->program[head->program], head->name,
                        dev->simd ? head->simd_threads : head->threads, kernelp);
    if (status != GPU_OK)
        return status;
    gpu_log(GPU_LOG_DETAIL, "opencl: kernel %s of program %s", head->name,
            gpu_sources[head->program].name);
    return GPU_OK;
}

enum gpu_status opencl_kernel(gpu_device_impl *dev, enum gpu_kernel id, gpu_kernel_impl **kernelp) {
    return gpu_kernels_get(&dev->kernels, &dev->mutex, dev, make_kernel, id, kernelp);
}

static enum gpu_status make_text(gpu_device_impl *dev, const struct gpu_text *text,
                                 gpu_kernel_impl **kernelp) {
    cl_program program;
    enum gpu_status status = opencl_program_of_text(dev, text, &program);
    if (status != GPU_OK)
        return status;
    status = create(dev, GPU_KERNELS, program, GPU_TEXT_KERNEL, text->threads, kernelp);
    opencl.release_program(program); /* the kernel object retains the program */
    return status;
}

enum gpu_status opencl_build(gpu_device_impl *dev, const struct gpu_text *text,
                             gpu_kernel_impl **kernelp) {
    return gpu_texts_get(&dev->texts, &dev->mutex, dev, make_text, text, kernelp);
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

/* Launches a kernel. Holds the kernel's mutex, because OpenCL stores arguments in the kernel,
 * not in the launch. */
enum gpu_status opencl_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned groups_x,
                              unsigned groups_y, const struct gpu_arg *args, unsigned nargs) {
    size_t local_size[2] = {kernel->threads, 1};
    size_t global_size[2] = {groups_x * local_size[0], groups_y};
    cl_int result = CL_SUCCESS;
    pthread_mutex_lock(kernel->mutex);
    for (unsigned i = 0; i < nargs && result == CL_SUCCESS; i++)
        result = set_arg(kernel->kernel, i, &args[i]);
    if (result == CL_SUCCESS)
        result = opencl.enqueue_nd_range_kernel(queue->queue, kernel->kernel, 2, NULL, global_size,
                                                local_size, OPENCL_WAITS(queue), NULL);
    pthread_mutex_unlock(kernel->mutex);
    return opencl_put(queue, NULL, result, kernel->name);
}

static void release_kernel(gpu_kernel_impl *kernel) {
    opencl.release_kernel(kernel->kernel);
    pthread_mutex_destroy(&kernel->own);
    free(kernel);
}

void opencl_kernels_close(gpu_device_impl *dev) {
    gpu_texts_close(&dev->texts, release_kernel);
    for (int i = 0; i < GPU_KERNELS; i++)
        if (dev->kernels.made[i])
            release_kernel(dev->kernels.made[i]);
    for (int i = 0; i < GPU_PROGRAMS; i++)
        if (dev->program[i])
            opencl.release_program(dev->program[i]);
}
