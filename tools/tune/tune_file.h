/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A profile's file. */
#ifndef MPGPU_TUNE_FILE_H
#define MPGPU_TUNE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/base/profile.h"

/* The file for a device's profile: `output`, or if that is NULL the one that programs read.  False
 * if there is none. */
bool tune_file_path(const char *output, const char *backend, const struct gpu_caps *caps,
                    char *path, size_t size);

/* Prints the values, after comments with the date, the machine and the version of GMP. */
void tune_file_print(FILE *file, const struct profile *p, const struct gpu_caps *caps);

/* Makes a file that it removes again, and first its folder if `makes_folder`.  False and errno if
 * that fails. */
bool tune_file_can_write(const char *path, bool makes_folder);

/* Writes it under another name, renames it and reads it again.  False and errno if that fails;
 * errno is 0 if what was read is not what was written. */
bool tune_file_write(const char *path, const struct profile *p, const struct gpu_caps *caps);

#endif
