/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Files that this user's programs obey: options, profiles. */
#ifndef MPGPU_OWN_FILE_H
#define MPGPU_OWN_FILE_H

#include <stdio.h>

/* Open a plain file of this user's or of root's that nobody else can write, to be read; does not
 * wait.  NULL, and in errno why it could not be opened, or 0 and in *wrong what is wrong with it.
 */
FILE *own_file_open(const char *path, const char **wrong);

#endif
