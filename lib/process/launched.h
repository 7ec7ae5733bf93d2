/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What mpgpu-run tells the library in the environment variable MPGPU_RUN: "PROCESS", or
 * "PROCESS:LD_PRELOAD" with the LD_PRELOAD of the program's children.  A constructor reads it, and
 * the program does not see it. */
#ifndef MPGPU_LAUNCHED_H
#define MPGPU_LAUNCHED_H

#include <stdbool.h>

/* This process is the one that mpgpu-run has become, and said so.  False in its children. */
bool launched_is_program(void);

#endif
