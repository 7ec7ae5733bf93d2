/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Messages to the file that standard error refers to at the start.
 * Each line begins with "mpgpu: ". */
#ifndef MPGPU_LOG_H
#define MPGPU_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum { LOG_WARNING = 1, LOG_INFO = 2, LOG_DETAIL = 3 };

/* Prints if the option `log` is at least `level`. One write() per line. */
void mpgpu_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints always, for example for wrong options and the output of `stats` and `confirm`. */
void mpgpu_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes the text at once. Suppresses the signal that a closed pipe or a file's size limit would
 * cause. Returns false, and sets errno, unless all was written; ENOSPC if a part was written. */
bool mpgpu_log_write(int descriptor, const char *text, size_t length);

/* Returns true if standard error is still the terminal that it was at the start. */
bool mpgpu_log_is_terminal(void);

/* Writes the text over the terminal's last line. The next text, or an empty one, overwrites it. */
void mpgpu_log_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Duplicates standard error, for messages after the program has closed it. Called at the start and
 * after reading the options, if they ask for messages. */
void mpgpu_log_keep(void);

/* Makes messages go to the current standard error. Called at the start, and when a test has
 * replaced it. */
void mpgpu_log_look(void);

extern int mpgpu_log_level; /* value of the option `log`; 0 before the options are read */

#endif
