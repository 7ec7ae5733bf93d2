/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Backends for tests, whose device is the host: it runs the kernels themselves, as host C
 * (host_kernel.h), at once when they are launched.  "host" has them as OpenCL has, "together" as
 * GPUs whose groups can wait for one another. */
#ifndef MPGPU_TEST_HOST_BACKEND_H
#define MPGPU_TEST_HOST_BACKEND_H

#include "gpu/gpu.h"

extern const struct gpu_backend host_backend, together_backend;

/* Before the first fork: launches of child processes count too. */
void host_count_launches(void);

/* The number of kernels in both forms that were never launched; prints their names. */
int host_count_idle(void);

#endif
