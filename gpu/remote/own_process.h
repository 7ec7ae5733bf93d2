/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A process of our own (mpgpu-cpu, mpgpu-serve): what drivers' compilers find in its environment.
 * Called before a device is opened, while there is one thread.  A program's environment stays as it
 * is. */
#ifndef MPGPU_OWN_PROCESS_H
#define MPGPU_OWN_PROCESS_H

/* The linker is found by its name, whatever PATH was given. */
void own_process_path(void);

/* PoCL launches the kernels that it has built for the cache.  Else it builds each once more for
 * each size of groups, without an offset, and for small grids.  Of those for CPUs, whose groups
 * have few work-items, the first form is as fast. */
void own_process_builds_once(void);

/* If memory runs out, the kernel ends this process before the program that it works for: GMP can
 * compute what is lost with it. */
void own_process_is_ended_first(void);

/* PoCL loads machine code from a folder that HOME or XDG_CACHE_HOME names, whoever owns it.  Sets
 * POCL_CACHE_DIR to a folder that only the user can write: the one that it names already, if it is
 * such a folder, otherwise `pocl` in our own cache (gpu_set_cache_dir).  If there is none, CPUs are
 * no devices (gpu_forbid_cpus). */
void own_process_pocl_folder(void);

#endif
