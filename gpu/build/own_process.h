/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sets the environment that drivers' compilers see in the project's own processes: mpgpu-serve and
 * the other tools.  The environment of a preloaded program is never changed. */
#ifndef MPGPU_OWN_PROCESS_H
#define MPGPU_OWN_PROCESS_H

/* Sets these variables.  Call it after gpu_set_cache_dir and gpu_use_kernels_of_gpus, before
 * gpu_find, while the process has one thread:
 * - PATH, so that a compiler finds the linker, whatever PATH was given.
 * - POCL_WORK_GROUP_SPECIALIZATION, so that PoCL launches the kernels that it has built for the
 *   cache.  Otherwise it builds each once more for each size of groups, without an offset, and for
 *   small grids.  Of the kernels for CPUs, whose groups have few work-items, the first form is as
 *   fast.
 * - POCL_CACHE_DIR.  PoCL loads machine code from a folder that HOME or XDG_CACHE_HOME names,
 *   whoever owns it.  A folder that the variable names stays, if only the user can write it.
 *   Otherwise `pocl` in our own cache replaces it.  If there is none, CPUs are no devices
 *   (gpu_forbid_cpus). */
void own_process_begin(void);

/* Makes the kernel's out-of-memory killer prefer this process to the program that it serves: GMP
 * can compute the lost results. */
void own_process_is_ended_first(void);

#endif
