/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Folders of the user's own. */
#ifndef MPGPU_FOLDER_H
#define MPGPU_FOLDER_H

/* Make a folder and those above it that are missing, for this user alone; nothing if it is
 * there.  `path` has fewer than 4096 characters. */
void folder_make(const char *path);

#endif
