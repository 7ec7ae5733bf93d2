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

#endif
