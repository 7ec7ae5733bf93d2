/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs of this package that run before the program does. */
#ifndef MPGPU_HELPER_H
#define MPGPU_HELPER_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/run/library.h"

/* Runs a program without input; `output` of `size` bytes receives what it prints on standard
 * output, as a string.  Returns true if the program ended with status 0. */
bool run_helper_output(char *const *words, char *output, size_t size);

/* Starts mpgpu-serve, from the folder of mpgpu-run or from PATH, with `conf` as its MPGPU_CONF
 * (NULL: none).  On failure, prints one line. */
void run_helper_serve(const struct run_library *library, const char *conf);

/* Exits with 125 after a line with the reason if mpgpu-info finds no device with `conf` as its
 * MPGPU_CONF. */
void run_helper_require_device(const struct run_library *library, const char *conf);

/* Sets LD_LIBRARY_PATH so that the program `path` loads the stand-in for libgmp.  Returns false
 * after a line with the reason on failure. */
bool run_helper_replace(const struct run_library *library, const char *path);

#endif
