/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A profile's file. */
#ifndef MPGPU_TUNE_FILE_H
#define MPGPU_TUNE_FILE_H

#include <stdio.h>

#include "lib/base/profile.h"

/* The file for a device's profile: `output`, or if that is NULL where programs look for it.  0 if
 * there is no such place. */
int tune_file_path(const char *output, const char *backend, const struct gpu_caps *caps, char *path,
                   size_t size);

/* The text: comments that say when, where and beside which GMP it was measured, and the
 * values. */
void tune_file_print(FILE *file, const struct profile *p, const struct gpu_caps *caps);

/* Write it, under another name first, and read it again.  0 and errno if that fails; errno is 0
 * if what was read is not what was written. */
int tune_file_write(const char *path, const struct profile *p, const struct gpu_caps *caps);

#endif
