/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Files that control this user's programs: options, profiles. */
#ifndef MPGPU_OWN_FILE_H
#define MPGPU_OWN_FILE_H

/* Reads a plain file without zero bytes that belongs to this user or to root, and that no other
 * user can write. Does not wait. Returns the text, which the caller frees. Returns NULL on failure,
 * with errno set if the file could not be opened, otherwise 0. *wrong is the reason, or NULL if
 * errno is the reason. Does not call the program's malloc for a stream. */
char *own_file_read(const char *path, const char **wrong);

#endif
