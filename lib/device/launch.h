/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches of kernels. Each kernel has a function launch_NAME(s, [variant,] groups, ...). Its
 * further arguments are the kernel's parameters: gpu_mem for a pointer, uint32_t or uint64_t for a
 * number. The kernel itself defines the work-items of a group. */
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

/* Launches a kernel. The functions in lib/device/launches.h call it. */
enum gpu_status launch_kernel(struct context *s, enum gpu_kernel kernel,
                              struct launch_groups groups, const struct gpu_arg *args,
                              unsigned nargs);

/* Launches a program whose text was written at run time (gpu/gpu.h). With 0 groups only builds it.
 * Returns GPU_NOBUILD, and does nothing, if it cannot be built. */
enum gpu_status launch_text(struct context *s, const struct gpu_text *text, uint64_t groups,
                            const struct gpu_arg *args, unsigned nargs);

#include "lib/device/launches.h"

#endif
