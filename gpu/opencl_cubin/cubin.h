/* SPDX-License-Identifier: LGPL-3.0-or-later
 * CUDA's machine code, a cubin in a program's fatbin, made fit for NVIDIA's OpenCL.
 *
 * That takes a cubin for a program's binary, but has to know which parameters are buffers.  Its own
 * compiler marks them, nvcc does not.  The form of both files is nowhere promised: what is not as
 * expected is refused. */
#ifndef MPGPU_CUBIN_H
#define MPGPU_CUBIN_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/gpu.h"

struct cubin {
    const unsigned char *at; /* NULL: none */
    size_t size;
};

/* In the fatbin at {fatbin, most}: the cubin for devices of compute capability `major`.`minor`, or
 * of the greatest minor below. */
struct cubin cubin_find(const unsigned char *fatbin, size_t most, unsigned major, unsigned minor);

/* In the cubin {elf, size} of a program: marks the pointers among the parameters of its kernels.
 * False where that can't be done, or a kernel is launched in clusters, which OpenCL can't
 * (KERNEL_CLUSTER, KERNEL_EXACT); the bytes are of no use then. */
bool cubin_mark(unsigned char *elf, size_t size, enum gpu_program program);

#endif
