/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The compiled programs, in kernels/fatbins.c, which the build makes. */
#ifndef MPGPU_CUDA_FATBINS_H
#define MPGPU_CUDA_FATBINS_H

#include "gpu/gpu.h"

struct gpu_fatbin {
    const char *name; /* the program's id */
    const unsigned char *image;
};
extern const struct gpu_fatbin gpu_fatbins[GPU_PROGRAMS];

#endif
