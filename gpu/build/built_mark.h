/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A mark in the cache: all programs that gpu_expect lists for CPUs were built into it by this build
 * of the library (gpu_cpu_is_built).  It is a guess: the driver may have changed since. */
#ifndef MPGPU_BUILT_MARK_H
#define MPGPU_BUILT_MARK_H

/* Records that all of them are built.  Any process that builds may call it. */
void built_mark_set(void);

#endif
