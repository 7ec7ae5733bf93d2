/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The file that a picture grows in, and that nothing leaves behind. */
#ifndef EXAMPLE_TEMPORARY_H
#define EXAMPLE_TEMPORARY_H

/* Catches SIGINT, SIGTERM, SIGHUP and SIGQUIT unless they are ignored: they remove the file and
 * then end the process as usual.  A separate thread waits for them until temporary_end, because
 * callers may block signals, as work on a device does.  Creates a file in the folder of `path`,
 * unless `path` is NULL.  Returns its descriptor, or -1 with errno (also -1 if path is NULL).  One
 * file at a time. */
int temporary_begin(const char *path);

/* Renames the file to `path`, in the same folder, and ends as temporary_end.  On failure returns -1
 * with errno, and the file remains. */
int temporary_rename(const char *path);

/* Removes the file, if there is one still.  Signals have the caller's thread again. */
void temporary_end(void);

#endif
