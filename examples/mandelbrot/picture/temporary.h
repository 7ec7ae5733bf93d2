/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The file that a picture grows in, and that nothing leaves behind. */
#ifndef EXAMPLE_TEMPORARY_H
#define EXAMPLE_TEMPORARY_H

/* Catches SIGINT, SIGTERM, SIGHUP and SIGQUIT where they are not ignored: they remove the file and
 * then end the process as ever.  A thread of its own waits for them until temporary_end: callers
 * may block signals, as work on a device does.  Makes a file in the folder of `path`, unless that
 * is NULL.  A descriptor of it, or -1 with errno (-1 also where path is NULL).  One at a time. */
int temporary_begin(const char *path);

/* Gives the file the name `path`, in the same folder, and ends as below; or -1 with errno, where
 * the file stays. */
int temporary_rename(const char *path);

/* Removes the file, if there is one still.  Signals have the caller's thread again. */
void temporary_end(void);

#endif
