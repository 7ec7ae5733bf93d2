/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs of this package that run before the program does. */
#ifndef MPGPU_HELPER_H
#define MPGPU_HELPER_H

#include <stdbool.h>

#include "tools/run/library.h"

/* Starts mpgpu-serve, beside mpgpu-run or in PATH, with `conf` as its MPGPU_CONF (NULL: none).  If
 * that fails, one line says so. */
void run_helper_serve(const struct run_library *library, const char *conf);

/* Puts the stand-in for libgmp in front of the libgmp of the program `path`, by LD_LIBRARY_PATH.
 * Returns false behind a line that says why if that cannot be done. */
bool run_helper_replace(const struct run_library *library, const char *path);

#endif
