/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Folders of the user's own. */
#ifndef MPGPU_FOLDER_H
#define MPGPU_FOLDER_H

/* Make a folder and those above it that are missing, for this user alone; nothing if it is
 * there.  `path` has fewer than 4096 characters. */
void folder_make(const char *path);

/* Opens a folder that the user owns and that nobody else can write.  Otherwise returns -1, sets
 * errno, and *wrong says why. */
int folder_open(const char *path, const char **wrong);

/* The same for folder `name` in the open folder `at`, which is made if it is missing.  A symbolic
 * link is refused. */
int folder_open_in(int at, const char *name, const char **wrong);

#endif
