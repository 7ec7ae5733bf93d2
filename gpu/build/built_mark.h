/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A file in the cache which says that this build of the library has built all programs for CPUs
 * (gpu_expect, gpu_cpu_is_built). It is only a hint, because the driver may have changed since. */
#ifndef MPGPU_BUILT_MARK_H
#define MPGPU_BUILT_MARK_H

/* Records that all programs for CPUs are in the cache. Any process that builds programs may call
 * it. */
void built_mark_set(void);

#endif
