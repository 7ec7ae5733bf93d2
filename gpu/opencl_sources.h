/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The programs' source, in kernels/sources.c, which the build makes. */
#ifndef MPGPU_OPENCL_SOURCES_H
#define MPGPU_OPENCL_SOURCES_H

#include "gpu/gpu.h"

/* Without pointers, as struct gpu_kernel_head. */
struct gpu_source {
    char name[32];    /* the program's id */
    char defines[64]; /* build options, "-Dx=1 ..." */
    size_t begin;     /* of its text in gpu_source_texts, with a 0 behind it */
    size_t length;
};
extern const struct gpu_source gpu_sources[GPU_PROGRAMS];
extern const unsigned char gpu_source_texts[];

#endif
