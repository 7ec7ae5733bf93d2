/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Replaces gpu/backends.c in tests: backends whose device is the host.  It runs the kernels
 * themselves, as host C (host_kernel.h), at the launch.  "opencl" has the form for OpenCL, "cuda"
 * the form for GPUs whose groups can wait for one another. */
#ifndef MPGPU_TEST_HOST_BACKEND_H
#define MPGPU_TEST_HOST_BACKEND_H

#include <stdbool.h>

/* Whether "cuda" has matrix units of groups (caps.matrix_groups). */
extern bool host_has_groups;

/* Launches of kernels whose names begin so do nothing; NULL: none. */
extern const char *host_lazy;

/* Call it before the first fork: then launches of child processes count, too, and all kernels count
 * as verified, so that a test that compares results itself runs no known-answer test before. */
void host_share(void);

/* The number of kernels in both forms that were never launched; prints their names. */
int host_count_idle(void);

#endif
