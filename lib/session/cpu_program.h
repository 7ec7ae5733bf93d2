/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Where mpgpu-cpu lies, in which a CPU's device works (gpu/remote/remote.h). */
#ifndef MPGPU_CPU_PROGRAM_H
#define MPGPU_CPU_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* Tell gpu/ of it: as the option says, else beside the object that this code is in, in an installed
 * tree wherever that lies or in a build tree.  Else it stays where it was to be installed. */
void cpu_program_find(void);

/* The path of mpgpu-serve, where it is installed beside this library; false if it is not there. */
bool serve_program_find(char *path, size_t size);

#endif
