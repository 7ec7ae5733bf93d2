/* SPDX-License-Identifier: LGPL-3.0-or-later
 * In the place of gpu/backends.c, for tests: backends whose device is the host.  It runs the
 * kernels themselves, as host C (host_kernel.h), at once when they are launched; as "opencl" in the
 * form that OpenCL gets, as "cuda" in that of GPUs whose groups can wait for one another. */
#ifndef MPGPU_TEST_HOST_BACKEND_H
#define MPGPU_TEST_HOST_BACKEND_H

#include <stdbool.h>

/* Whether "cuda" has matrix units of groups (caps.matrix_groups). */
extern bool host_has_groups;

/* Launches of kernels whose names begin so do nothing; NULL: none. */
extern const char *host_lazy;

/* Before the first fork: launches of child processes count too, and what one of them has had known
 * answers of the others need not prove. */
void host_share(void);

/* The number of kernels in both forms that were never launched; prints their names. */
int host_count_idle(void);

#endif
