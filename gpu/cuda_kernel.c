/* SPDX-License-Identifier: LGPL-3.0-or-later
 * CUDA backend: loads programs and kernels, and launches kernels. */
#include <stdio.h>
#include <stdlib.h>

#include "gpu/cuda_impl.h"
#include "gpu/error.h"
#include "gpu/images.h"

/* The lowest PTX version (compute capability) for which FOLLOW_LAUNCH() has instructions. */
enum { FOLLOWS_PTX = 90 };

/* Loads the program's module at first use. The caller holds the mutex and has entered the
 * context. */
static enum gpu_status load_module(gpu_device_impl *dev, enum gpu_program program) {
    if (dev->module[program])
        return GPU_OK;
    if (gpu_stopped())
        return gpu_fail(GPU_FAILED, "the program is ending");
    const struct gpu_fatbin *fatbin = &gpu_fatbins[program];
    const unsigned char *images = gpu_images();
    if (!images)
        return GPU_NOBUILD;
    enum gpu_status status = cuda_check(
        cuda.module_load_data(&dev->module[program], images + fatbin->place), fatbin->name);
    if (status != GPU_OK)
        dev->module[program] = NULL;
    else
        gpu_log(GPU_LOG_DETAIL, "cuda: program %s: loaded", fatbin->name);
    return status;
}

/* Loads a kernel's function from its program's module. The caller has entered the context. */
static enum gpu_status load_kernel(gpu_device_impl *dev, const struct gpu_kernel_head *head,
                                   CUfunction *function) {
    enum gpu_status status = load_module(dev, head->program);
    if (status == GPU_OK)
        status = cuda_check(
            cuda.module_get_function(function, dev->module[head->program], head->name), head->name);
    if (status != GPU_OK)
        return status;
    /* Allows clusters of 16 thread blocks. The call fails on devices without clusters, which do
     * not need it. */
    cuda.func_set_attribute(*function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    if (head->large_bytes)
        status = cuda_check(cuda.func_set_attribute(*function,
                                                    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                    (int)head->large_bytes),
                            head->name);
    if (status != GPU_OK)
        return status;
    gpu_log(GPU_LOG_DETAIL, "cuda: kernel %s of program %s", head->name,
            gpu_fatbins[head->program].name);
    return GPU_OK;
}

/* Returns true if the function's code has the instructions of FOLLOW_LAUNCH(), and the driver can
 * use them. Code that was compiled for compute capability 9.0 or higher has them. */
static bool follows(CUfunction function) {
    int ptx = 0, driver = 0;
    return CUDA_VERSION >= CUDA_FOLLOWS_VERSION &&
           cuda.driver_get_version(&driver) == CUDA_SUCCESS && driver >= CUDA_FOLLOWS_VERSION &&
           cuda.func_get_attribute(&ptx, CU_FUNC_ATTRIBUTE_PTX_VERSION, function) == CUDA_SUCCESS &&
           ptx >= FOLLOWS_PTX;
}

static enum gpu_status make_kernel(gpu_device_impl *dev, enum gpu_kernel id,
                                   gpu_kernel_impl **kernelp) {
    gpu_kernel_impl *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return gpu_fail(GPU_NOMEM, "no host memory");
    kernel->head = &gpu_kernel_heads[id];
    enum gpu_status status = cuda_enter(dev);
    if (status == GPU_OK) {
        status = load_kernel(dev, kernel->head, &kernel->function);
        kernel->follows = status == GPU_OK && follows(kernel->function);
        cuda_leave();
    }
    if (status == GPU_OK)
        *kernelp = kernel;
    else
        free(kernel);
    return status;
}

enum gpu_status cuda_kernel(gpu_device_impl *dev, enum gpu_kernel id, gpu_kernel_impl **kernelp) {
    return gpu_kernels_get(&dev->kernels, &dev->mutex, dev, make_kernel, id, kernelp);
}

/* ---- from text */

static enum gpu_status load_text(gpu_device_impl *dev, const struct gpu_text *text,
                                 gpu_kernel_impl *kernel) {
    int major = 0, minor = 0;
    char *code = NULL;
    cuda.device_get_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, dev->device);
    cuda.device_get_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, dev->device);
    enum gpu_status status = cuda_nvrtc_build(text, major, minor, &code);
    if (status == GPU_OK)
        status = cuda_check(cuda.module_load_data(&kernel->module, code), kernel->own.name);
    free(code);
    if (status == GPU_OK)
        status = cuda_check(
            cuda.module_get_function(&kernel->function, kernel->module, kernel->own.name),
            kernel->own.name);
    return status;
}

static void release_text(gpu_kernel_impl *kernel) {
    if (kernel->module)
        cuda.module_unload(kernel->module);
    free(kernel);
}

static enum gpu_status make_text(gpu_device_impl *dev, const struct gpu_text *text,
                                 gpu_kernel_impl **kernelp) {
    gpu_kernel_impl *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return gpu_fail(GPU_NOMEM, "no host memory");
    snprintf(kernel->own.name, sizeof kernel->own.name, GPU_TEXT_KERNEL);
    kernel->own.threads = text->threads;
    kernel->head = &kernel->own;
    enum gpu_status status = cuda_enter(dev);
    if (status != GPU_OK) {
        free(kernel);
        return status;
    }
    status = load_text(dev, text, kernel);
    if (status == GPU_OK)
        *kernelp = kernel;
    else
        release_text(kernel);
    cuda_leave();
    return status;
}

enum gpu_status cuda_build(gpu_device_impl *dev, const struct gpu_text *text,
                           gpu_kernel_impl **kernelp) {
    return gpu_texts_get(&dev->texts, &dev->mutex, dev, make_text, text, kernelp);
}

/* ---- launches */

static CUresult launch(gpu_queue_impl *queue, const gpu_kernel_impl *kernel, unsigned groups_x,
                       unsigned groups_y, void **params) {
    const unsigned threads = kernel->head->threads, bytes = kernel->head->large_bytes;
#if CUDA_VERSION >= CUDA_FOLLOWS_VERSION
    if (kernel->follows) {
        CUlaunchAttribute early = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                   .value = {.programmaticStreamSerializationAllowed = 1}};
        const CUlaunchConfig c = {.gridDimX = groups_x,
                                  .gridDimY = groups_y,
                                  .gridDimZ = 1,
                                  .blockDimX = threads,
                                  .blockDimY = 1,
                                  .blockDimZ = 1,
                                  .sharedMemBytes = bytes,
                                  .hStream = queue->stream,
                                  .attrs = &early,
                                  .numAttrs = 1};
        return cuda.launch_kernel_ex(&c, kernel->function, params, NULL);
    }
#endif
    return cuda.launch_kernel(kernel->function, groups_x, groups_y, 1, threads, 1, 1, bytes,
                              queue->stream, params, NULL);
}

enum gpu_status cuda_issue(gpu_queue_impl *queue, const gpu_kernel_impl *kernel, unsigned groups_x,
                           unsigned groups_y, const struct gpu_arg *args, unsigned nargs) {
    void *params[CUDA_MOST_ARGS];
    for (unsigned i = 0; i < nargs; i++)
        params[i] = (void *)&args[i].v; /* the address of a union is that of each member */
    return cuda_check(launch(queue, kernel, groups_x, groups_y, params), kernel->head->name);
}

enum gpu_status cuda_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned groups_x,
                            unsigned groups_y, const struct gpu_arg *args, unsigned nargs) {
    if (nargs > CUDA_MOST_ARGS)
        return gpu_fail(GPU_FAILED, "%s: %u arguments", kernel->head->name, nargs);
    enum gpu_status status = cuda_enter(queue->dev);
    if (status != GPU_OK)
        return status;
    if (!cuda_series_keeps(queue, kernel, groups_x, groups_y, args, nargs, &status))
        status = cuda_issue(queue, kernel, groups_x, groups_y, args, nargs);
    cuda_leave();
    return status;
}

void cuda_kernels_close(gpu_device_impl *dev) {
    gpu_texts_close(&dev->texts, release_text);
    for (int i = 0; i < GPU_KERNELS; i++)
        free(dev->kernels.made[i]);
    for (int i = 0; i < GPU_PROGRAMS; i++)
        if (dev->module[i])
            cuda.module_unload(dev->module[i]);
}
