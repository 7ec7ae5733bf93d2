/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-info --build: the kernels that are built at run time, built now. */
#ifndef MPGPU_BUILD_KERNELS_H
#define MPGPU_BUILD_KERNELS_H

/* Opens the device and builds all announced programs that the cache lacks, several at once.  Prints
 * a line on standard output, with progress if it is a terminal.  Returns the exit status: 1 if
 * there is no device, or a program was not built. */
int build_kernels(void);

#endif
