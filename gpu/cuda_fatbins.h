/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The compiled programs, in kernels/fatbins.c, which the build makes. */
#ifndef MPGPU_CUDA_FATBINS_H
#define MPGPU_CUDA_FATBINS_H

#include <stdint.h>

#include "gpu/gpu.h"

/* Without pointers, as struct gpu_kernel_head. */
struct gpu_fatbin {
    char name[32]; /* the program's id */
    unsigned number;
};
extern const struct gpu_fatbin gpu_fatbins[GPU_PROGRAMS];

/* The images, and by number where each begins. */
extern const unsigned char gpu_fatbin_images[] __attribute__((visibility("hidden")));
extern const uint32_t gpu_fatbin_places[] __attribute__((visibility("hidden")));

static inline const unsigned char *gpu_fatbin_image(enum gpu_program program) {
    return gpu_fatbin_images + gpu_fatbin_places[gpu_fatbins[program].number];
}

#endif
