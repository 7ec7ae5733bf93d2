/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The backend of mpgpu-cpu: in its own process OpenCL's devices are used as they are. */
#include "gpu/gpu.h"

extern const struct gpu_backend opencl_backend;

const struct gpu_backend *const gpu_backends[] = {&opencl_backend, NULL};
