/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Helpers: processes that build OpenCL programs ahead for this one, into the cache.  Drivers'
 * compilers build one program at a time in a process, so there are several processes. */
#ifndef MPGPU_HELPERS_H
#define MPGPU_HELPERS_H

#include "gpu/build/builds.h"

/* Maps the table that helpers share with this process, all 0.  NULL if there can be no helper: no
 * program for it (gpu_set_build_helper), no cache, or limits of this process.  Once. */
struct builds *helpers_share(void);

/* Starts helpers for `programs` programs, at most one a core.  Once, after helpers_share. */
void helpers_start(unsigned programs);

#endif
