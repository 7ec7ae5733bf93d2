/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The list of compiled-in backends.  It has its own file, so that a test can replace it. */
#include "config.h"

#include "gpu/gpu.h"

#if WITH_CUDA
extern const struct gpu_backend cuda_backend;
#endif
#if WITH_OPENCL
extern const struct gpu_backend opencl_backend;
#endif

const struct gpu_backend *const gpu_backends[] = {
#if WITH_CUDA
    &cuda_backend,
#endif
#if WITH_OPENCL
    &opencl_backend,
#endif
    NULL};
