/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Helpers: processes that build OpenCL programs into the cache in advance. A driver's compiler
 * builds only one program at a time in a process, so several processes are faster. */
#ifndef MPGPU_HELPERS_H
#define MPGPU_HELPERS_H

#include "gpu/build/builds.h"

/* Allocates the table of builds that helpers will share with this process, all zero. Returns NULL
 * if no helper can be started: gpu_set_build_helper was not called, there is no cache,
 * detached_forbidden() has a reason, or memory is missing. Call it once. */
struct builds *helpers_share(void);

/* Starts helpers that build `programs` programs, at most one helper per core. Call it once,
 * after helpers_share. */
void helpers_start(unsigned programs);

#endif
