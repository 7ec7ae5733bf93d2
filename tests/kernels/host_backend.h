/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Replaces gpu/backends.c in tests: backends whose device is the host. A launch runs the kernels
 * compiled as host C (host_kernel.h). Backend "opencl" has the OpenCL form of the kernels;
 * "cuda" has the form for GPUs whose work-groups can wait for one another. */
#ifndef MPGPU_TEST_HOST_BACKEND_H
#define MPGPU_TEST_HOST_BACKEND_H

#include <stdbool.h>

/* Whether backend "cuda" reports matrix units that a whole work-group uses (caps.matrix_groups). */
extern bool host_has_groups;

/* A prefix of kernel names: launches of such kernels do nothing, as a broken device might. NULL:
 * all kernels run. */
extern const char *host_lazy;

/* Call it before the first fork.  host_count_idle then counts the launches of child processes,
 * too.  All kernels count as verified, so that no known-answer test runs before a test. */
void host_share(void);

/* True if known-answer tests run in spite of host_share. */
extern bool host_verifies;

/* Prints the names of kernels that were never launched, in each form, and returns their number. */
int host_count_idle(void);

#endif
