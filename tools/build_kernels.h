/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-info --build: the kernels that are built at run time, built now. */
#ifndef MPGPU_BUILD_KERNELS_H
#define MPGPU_BUILD_KERNELS_H

/* Opens the device, has all expected programs built that the cache lacks, several at once, and
 * says so on a line of standard output: with progress where that is a terminal.  The exit status:
 * 1 where there is no device, or where they were not all built. */
int build_kernels(void);

#endif
