/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Creates the temporary file for a picture, and removes it if a signal ends the program. */
#ifndef EXAMPLE_TEMPORARY_H
#define EXAMPLE_TEMPORARY_H

/* Creates a file in the folder of `path`.  Returns its descriptor, or -1 with errno.  If `path` is
 * NULL, creates none and returns -1.
 * Until temporary_end, the signals SIGINT, SIGTERM, SIGHUP and SIGQUIT remove the file before
 * they end the process, unless they were ignored.  Callers may block signals during work on a
 * device, so a separate thread waits for them.  Only one file may exist at a time. */
int temporary_begin(const char *path);

/* Renames the temporary file to `path` in the same folder, and then does the work of
 * temporary_end. On failure returns -1 with errno, and the temporary file remains. */
int temporary_rename(const char *path);

/* Removes the temporary file if it still exists, and ends the thread that waits for signals. */
void temporary_end(void);

#endif
