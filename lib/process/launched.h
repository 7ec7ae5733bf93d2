/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads the environment variable MPGPU_RUN, which mpgpu-run sets to "PROCESS" or
 * "PROCESS:LD_PRELOAD". PROCESS is the id of the process, LD_PRELOAD the value of that variable for
 * the program's children. A constructor reads and removes MPGPU_RUN before the program can see
 * it. */
#ifndef MPGPU_LAUNCHED_H
#define MPGPU_LAUNCHED_H

#include <stdbool.h>

/* Returns true in the process that mpgpu-run has become. Returns false in its children. */
bool launched_is_program(void);

#endif
