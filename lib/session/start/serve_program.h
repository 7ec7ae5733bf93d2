/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the path of the program mpgpu-serve. */
#ifndef MPGPU_SERVE_PROGRAM_H
#define MPGPU_SERVE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* Sets `path` to the program mpgpu-serve in the same installation or build tree as this code.
 * Returns false if the program does not exist or another user could replace it. Only one thread at
 * a time may call this. */
bool serve_program_find(char *path, size_t size);

#endif
