/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What the kernels of a plan's passes are told (kernels/fft/pass.h). */
#ifndef MPGPU_FFT_PASSES_H
#define MPGPU_FFT_PASSES_H

#include "lib/device/launch.h"
#include "lib/fft/fft_plan.h"

struct fft_pass {
    unsigned r;
    uint32_t columns, stride, done, scale;
    struct launch_groups groups;
};

/* Pass i of `batch` transforms, with tables of that order. */
struct fft_pass fft_pass_of(const struct fft_plan *p, unsigned i, uint64_t batch, uint64_t order);

#endif
