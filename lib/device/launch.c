/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches of kernels. */
#include "lib/device/launch.h"

#include "lib/base/stats.h"
#include "lib/process/executor.h"
#include "lib/process/lease.h"

/* Returns how long this thread has waited for builds so far. A kernel's first call builds its
 * program, which does not count as kernel time. */
static uint64_t before_build(void) {
    return gpu_builds_waited_here();
}

static void after_build(uint64_t before) {
    stats_here()->building += 1e-9 * (double)(gpu_builds_waited_here() - before);
    executor_progress();
}

enum gpu_status launch_kernel(struct context *s, enum gpu_kernel kernel,
                              struct launch_groups groups, const struct gpu_arg *args,
                              unsigned nargs) {
    const struct gpu_backend *backend = s->dev.backend;
    gpu_kernel_impl *k;
    if (lease_is_over(s->lease))
        return GPU_LEFT;
    uint64_t before = before_build();
    enum gpu_status status = backend->kernel(s->dev.impl, kernel, &k);
    after_build(before);
    if (status == GPU_OK)
        status = backend->launch(s->queue.impl, k, (unsigned)groups.x, groups.y, args, nargs);
    return status;
}

enum gpu_status launch_text(struct context *s, const struct gpu_text *text, uint64_t groups,
                            const struct gpu_arg *args, unsigned nargs) {
    const struct gpu_backend *backend = s->dev.backend;
    gpu_kernel_impl *k;
    if (lease_is_over(s->lease))
        return GPU_LEFT;
    if (!backend->build)
        return GPU_NOBUILD;
    uint64_t before = before_build();
    enum gpu_status status = backend->build(s->dev.impl, text, &k);
    after_build(before);
    if (status == GPU_OK && groups > 0)
        status = backend->launch(s->queue.impl, k, (unsigned)groups, 1, args, nargs);
    return status;
}
