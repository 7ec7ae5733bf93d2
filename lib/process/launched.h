/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads the environment variable MPGPU_RUN, which mpgpu-run sets: "PROCESS", or
 * "PROCESS:LD_PRELOAD" with the value of LD_PRELOAD for the program's children. A constructor reads
 * and removes the variable, so that the program does not see it. */
#ifndef MPGPU_LAUNCHED_H
#define MPGPU_LAUNCHED_H

#include <stdbool.h>

/* Returns true in the process that mpgpu-run has become. Returns false in its children. */
bool launched_is_program(void);

#endif
