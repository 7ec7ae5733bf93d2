/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Creates and opens folders that only the user can write to. */
#ifndef MPGPU_FOLDER_H
#define MPGPU_FOLDER_H

/* Creates a folder and missing parent folders, accessible to this user alone; does nothing if it
 * exists.  `path` has fewer than 4096 characters. */
void folder_make(const char *path);

/* Opens a folder. If the user does not own it, or others can write to it, returns -1 and sets
 * errno and *wrong, the reason. */
int folder_open(const char *path, const char **wrong);

/* Opens folder `name` in the open folder `at`, under the conditions of folder_open.  Creates the
 * folder if it is missing.  Refuses a symbolic link. */
int folder_open_in(int at, const char *name, const char **wrong);

#endif
