/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The programs' source, in kernels/sources.c, which the build makes. */
#ifndef MPGPU_OPENCL_SOURCES_H
#define MPGPU_OPENCL_SOURCES_H

#include "gpu/gpu.h"

struct gpu_source {
    const char *name;          /* the program's id */
    const char *defines;       /* build options, "-Dx=1 ..." */
    const unsigned char *text; /* with a 0 behind it */
    size_t length;
};
extern const struct gpu_source gpu_sources[GPU_PROGRAMS];

#endif
