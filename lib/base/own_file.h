/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Files that control this user's programs: options, profiles. */
#ifndef MPGPU_OWN_FILE_H
#define MPGPU_OWN_FILE_H

#include <stdio.h>

/* Open a plain file for reading that belongs to this user or to root, and that nobody else can
 * write.  Does not wait.  NULL where that fails: errno tells why the file could not be opened, or
 * is 0.  *wrong tells what is wrong with the file, or is NULL where errno says all. */
FILE *own_file_open(const char *path, const char **wrong);

#endif
