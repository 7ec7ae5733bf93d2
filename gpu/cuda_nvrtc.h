/* SPDX-License-Identifier: LGPL-3.0-or-later
 * CUDA backend: NVIDIA's compiler at run time, where the machine has it. */
#ifndef MPGPU_CUDA_NVRTC_H
#define MPGPU_CUDA_NVRTC_H

#include "gpu/gpu.h"

/* The machine code of the kernel's program for compute capability major.minor, from the cache of
 * built programs or from libnvrtc; to be freed.  GPU_NOBUILD where there is none of them. */
enum gpu_status cuda_nvrtc_build(const struct gpu_text *text, int major, int minor, char **codep);

#endif
