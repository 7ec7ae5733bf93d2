/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Files that control this user's programs: options, profiles. */
#ifndef MPGPU_OWN_FILE_H
#define MPGPU_OWN_FILE_H

#include <stdio.h>

/* Opens a plain file for reading that belongs to this user or to root, and that no other user can
 * write. Does not wait. Returns NULL on failure, with errno set if the file could not be opened,
 * otherwise 0. *wrong says what is wrong with the file, or is NULL if errno says it. */
FILE *own_file_open(const char *path, const char **wrong);

#endif
