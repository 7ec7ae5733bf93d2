/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches of kernels. */
#include "lib/device/launch.h"

#include "lib/process/executor.h"

enum gpu_status launch_kernel(struct context *s, enum gpu_kernel kernel,
                              struct launch_groups groups, const struct gpu_arg *args,
                              unsigned nargs) {
    const struct gpu_backend *backend = s->dev.backend;
    gpu_kernel_impl *k;
    enum gpu_status status = backend->kernel(s->dev.impl, kernel, &k);
    executor_progress(); /* a first call builds */
    if (status == GPU_OK)
        status = backend->launch(s->queue.impl, k, (unsigned)groups.x, groups.y, args, nargs);
    return status;
}
