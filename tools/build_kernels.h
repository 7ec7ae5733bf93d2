/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-info --build: builds the kernels now that are otherwise built when programs first need
 * them. */
#ifndef MPGPU_BUILD_KERNELS_H
#define MPGPU_BUILD_KERNELS_H

/* Opens the device and builds all of its kernel programs that the cache lacks, several at once.
 * Prints the device and the result, and the progress if standard error is a terminal.  Returns the
 * exit status, which is 1 if there is no device or a program was not built. */
int build_kernels(void);

#endif
