/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The passes of a plan, for code that builds on transforms, and the arguments of their kernels
 * (kernels/fft/pass.h). */
#ifndef MPGPU_FFT_PASSES_H
#define MPGPU_FFT_PASSES_H

#include "lib/device/launch.h"
#include "lib/fft/fft.h"
#include "lib/fft/fft_tables.h"

struct fft_pass {
    unsigned r;
    uint32_t columns, stride, done, scale;
    struct launch_groups groups; /* work-groups, if a program for this length computes the pass */
};

/* Returns pass i of `batch` transforms.  `order` is the order of the roots in the tables. */
struct fft_pass fft_pass_of(const struct fft_plan *p, unsigned i, uint64_t batch, uint64_t order);

/* How the passes of `batch` transforms run: the direction, and tables of roots of order `order`. */
struct fft_way {
    enum fft_direction direction;
    uint64_t batch, order;
    struct fft_roots roots;
};
enum gpu_status fft_way_init(struct context *s, const struct fft_plan *p, struct fft_way *way,
                             enum fft_direction d, uint64_t batch, uint64_t order);

/* Queues the passes of a plan.  Their results are written to `to` and `other` alternately, the last
 * to `to`.  `from` may be the buffer that the first pass does not write: `other` for an odd number
 * of passes, `to` for an even one. */
enum gpu_status fft_passes(struct context *s, const struct fft_plan *p, const struct fft_way *way,
                           gpu_mem to, gpu_mem other, gpu_mem from);

#endif
