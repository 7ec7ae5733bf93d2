/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs for a device of this process, built in another: what a compiler takes, and its end, are
 * not the program's, and nobody's exit waits for it. */
#ifndef MPGPU_REMOTE_BUILD_H
#define MPGPU_REMOTE_BUILD_H

#include "gpu/gpu.h"

/* This process builds for others: itself, here. */
void remote_build_here(void);

/* Has the program of a kernel built for device `index` of the backend with a process of
 * its own, and put into the cache.  GPU_ABSENT where there is no such process, or no cache: it is
 * to be built here. */
enum gpu_status remote_build(int index, enum gpu_kernel kernel);

/* The same of a text. */
enum gpu_status remote_build_text(int index, const struct gpu_text *text);

/* Has the kernel of a text made by the open device there: its number. */
enum gpu_status remote_text(const struct gpu_text *text, uint64_t *id);

#endif
