/* SPDX-License-Identifier: LGPL-3.0-or-later
 * OpenCL backend: programs that the library has as machine code for CUDA.  NVIDIA's driver (580)
 * takes such a cubin for a binary of its own, in 0.1 to 2 ms, where the text takes up to 2 s. */
#include <stdlib.h>
#include <string.h>

#include "gpu/opencl_cubin/cubin.h"
#include "gpu/error.h"
#include "gpu/images.h"
#include "gpu/opencl_impl.h"

/* What kernels compiled for CUDA take for the local memory of a group. */
enum { LOCAL_BYTES = 48 << 10 };

/* kernels/compile-fatbin.sh makes machine code without clusters for that. */
enum { APART_MAJOR = 9 };

/* The program's machine code for the device: that without clusters, where there are two. */
static struct cubin cubin_of(const gpu_device_impl *dev, const struct gpu_fatbin *fatbin) {
    const unsigned char *images = gpu_images();
    if (fatbin->apart_size && dev->capability[0] == APART_MAJOR)
        return (struct cubin){images + fatbin->apart, fatbin->apart_size};
    return cubin_find(images + fatbin->place, gpu_images_size - fatbin->place, dev->capability[0],
                      dev->capability[1]);
}

/* A copy of the program's cubin for the device, its pointers marked, to be freed; NULL: none. */
static unsigned char *marked_cubin(const gpu_device_impl *dev, enum gpu_program program,
                                   size_t *size) {
    const struct gpu_fatbin *fatbin = &gpu_fatbins[program];
    if (!gpu_images() || !*fatbin->name || !dev->is_nvidia || dev->local_bytes != LOCAL_BYTES)
        return NULL;
    const struct cubin cubin = cubin_of(dev, fatbin);
    unsigned char *copy = cubin.at ? malloc(cubin.size) : NULL;
    if (!copy)
        return NULL;
    memcpy(copy, cubin.at, cubin.size);
    *size = cubin.size;
    if (cubin_mark(copy, cubin.size, program))
        return copy;
    free(copy);
    return NULL;
}

/* NULL is a buffer, and no number: so the driver tells what it takes a parameter for. */
static bool takes_as_told(cl_kernel kernel, const char *takes) {
    cl_uint count = (cl_uint)strlen(takes);
    for (cl_uint i = 0; i < count; i++)
        if ((opencl.set_kernel_arg(kernel, i, sizeof(cl_mem), NULL) == CL_SUCCESS) !=
            (takes[i] == 'm'))
            return false;
    return opencl.set_kernel_arg(kernel, count, sizeof(cl_mem), NULL) == CL_INVALID_ARG_INDEX;
}

static bool is_as_told(cl_program built, enum gpu_program program) {
    bool is = true;
    for (int id = 0; id < GPU_KERNELS && is; id++) {
        const struct gpu_kernel_head *head = &gpu_kernel_heads[id];
        cl_int result;
        if (head->program != program)
            continue;
        cl_kernel kernel = opencl.create_kernel(built, head->name, &result);
        is = result == CL_SUCCESS && takes_as_told(kernel, head->takes);
        if (result == CL_SUCCESS)
            opencl.release_kernel(kernel);
    }
    return is;
}

static cl_program load(gpu_device_impl *dev, const unsigned char *cubin, size_t size,
                       enum gpu_program program) {
    cl_int result, status = CL_SUCCESS;
    cl_program built = opencl.create_program_with_binary(dev->context, 1, &dev->device, &size,
                                                         &cubin, &status, &result);
    if (result != CL_SUCCESS)
        return NULL;
    if (status == CL_SUCCESS &&
        opencl.build_program(built, 1, &dev->device, "", NULL, NULL) == CL_SUCCESS &&
        is_as_told(built, program))
        return built;
    opencl.release_program(built);
    return NULL;
}

/* A driver that has refused one is not asked again. */
bool opencl_from_cubin(gpu_device_impl *dev, enum gpu_program program, cl_program *programp) {
    size_t size;
    unsigned char *cubin = dev->refuses_cubins ? NULL : marked_cubin(dev, program, &size);
    if (!cubin)
        return false;
    *programp = load(dev, cubin, size, program);
    free(cubin);
    dev->refuses_cubins = !*programp;
    gpu_log(GPU_LOG_DETAIL, "opencl: program %s: CUDA's machine code%s", gpu_fatbins[program].name,
            *programp ? "" : ", refused");
    return *programp != NULL;
}

bool opencl_has_cubin(const gpu_device_impl *dev, enum gpu_program program) {
    size_t size;
    unsigned char *cubin = dev->refuses_cubins ? NULL : marked_cubin(dev, program, &size);
    free(cubin);
    return cubin != NULL;
}
