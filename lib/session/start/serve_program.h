/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the program mpgpu-serve. */
#ifndef MPGPU_SERVE_PROGRAM_H
#define MPGPU_SERVE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* Sets `path` to mpgpu-serve, relative to the object that contains this code: in an installed tree,
 * wherever it is, or in a build tree. Returns false if it does not exist or another user could
 * replace it. */
bool serve_program_find(char *path, size_t size);

#endif
