/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs other programs of this package before mpgpu-run executes the user's program. */
#ifndef MPGPU_HELPER_H
#define MPGPU_HELPER_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/run/library.h"

/* Runs a program without input.  Copies its standard output as a string to `output` of `size`
 * bytes.  Returns true if the program ended with status 0. */
bool run_helper_output(char *const *words, char *output, size_t size);

/* Starts mpgpu-serve, from the folder of mpgpu-run or from PATH.  `conf` is its MPGPU_CONF; NULL:
 * none.  Prints one line on failure. */
void run_helper_serve(const struct run_library *library, const char *conf);

/* Runs mpgpu-info with `conf` as its MPGPU_CONF.  If it finds no device, prints the reason in one
 * line and exits with 125. */
void run_helper_require_device(const struct run_library *library, const char *conf);

/* Sets LD_LIBRARY_PATH so that the program `path` loads this package's libgmp.so.10 instead of the
 * real one (tools/replace).  On failure, prints the reason in one line and returns false. */
bool run_helper_replace(const struct run_library *library, const char *path);

#endif
