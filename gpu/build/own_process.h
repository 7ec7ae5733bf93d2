/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sets the environment that drivers' compilers see in the project's own processes: mpgpu-serve and
 * the other tools.  The environment of a preloaded program is never changed. */
#ifndef MPGPU_OWN_PROCESS_H
#define MPGPU_OWN_PROCESS_H

/* Sets the variables below. Call it after gpu_set_cache_dir and gpu_use_kernels_of_gpus, before
 * gpu_find, while the process has one thread.
 * - PATH: appends the system's folders, so that a compiler finds the linker.
 * - POCL_WORK_GROUP_SPECIALIZATION=0, unless it is set or gpu_uses_kernels_of_gpus(): PoCL then
 *   runs the kernels from the cache. Otherwise PoCL builds kernels again for each kind of launch.
 * - POCL_CACHE_DIR: the folder from which PoCL loads machine code. By default HOME or
 * XDG_CACHE_HOME determines it, and PoCL does not check its owner. A folder that the user has set
 * remains if no one else can write to it. Otherwise POCL_CACHE_DIR is set to the folder `pocl` in
 * this library's cache. If there is no safe folder, CPUs are not used as devices
 * (gpu_forbid_cpus). */
void own_process_begin(void);

/* Makes the kernel's out-of-memory killer end this process before the program that it serves. If
 * this process ends, GMP computes the lost results. */
void own_process_is_ended_first(void);

#endif
