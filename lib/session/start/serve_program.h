/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Where mpgpu-serve is. */
#ifndef MPGPU_SERVE_PROGRAM_H
#define MPGPU_SERVE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* Sets `path` to mpgpu-serve beside the object that this code is in: in an installed tree, wherever
 * that is, or in a build tree.  Returns false if it is not there, or others could replace it. */
bool serve_program_find(char *path, size_t size);

#endif
