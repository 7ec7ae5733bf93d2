/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches of kernels: launch_NAME(s, [variant,] groups, ...) for every kernel, with the arguments
 * of its head: gpu_mem for a pointer, uint32_t and uint64_t.  Work-items of a group are the
 * kernel's own. */
#ifndef MPGPU_LAUNCH_H
#define MPGPU_LAUNCH_H

#include "lib/device/context.h"

/* The work-groups of a launch: x by y. */
struct launch_groups {
    uint64_t x;
    unsigned y;
};

static inline struct launch_groups launch_row(uint64_t groups) {
    return (struct launch_groups){groups, 1};
}
static inline struct launch_groups launch_grid(uint64_t x, unsigned y) {
    return (struct launch_groups){x, y};
}

/* For the functions below. */
enum gpu_status launch_kernel(struct context *s, enum gpu_kernel kernel,
                              struct launch_groups groups, const struct gpu_arg *args,
                              unsigned nargs);

/* The same of a program that is written at run time (gpu/gpu.h), of 0 groups only its build:
 * GPU_NOBUILD, and nothing has happened, where it can't be had. */
enum gpu_status launch_text(struct context *s, const struct gpu_text *text, uint64_t groups,
                            const struct gpu_arg *args, unsigned nargs);

#include "lib/device/launches.h"

#endif
