/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Messages, to the file that standard error is at the start.  Each line begins with "mpgpu: ". */
#ifndef MPGPU_LOG_H
#define MPGPU_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum { LOG_WARNING = 1, LOG_INFO = 2, LOG_DETAIL = 3 };

/* Print if the option `log` is at least `level`.  One write() a line. */
void mpgpu_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Print always: for wrong options, and for what `stats` and `confirm` ask for. */
void mpgpu_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes at once, without the signal that a closed pipe or a file's limit would cause.  Returns
 * false with errno unless all was written. */
bool mpgpu_log_write(int descriptor, const char *text, size_t length);

/* Standard error is the terminal that it was at the start. */
bool mpgpu_log_is_terminal(void);

/* Writes the text over the terminal's last line; the next one, or an empty one, is written over it.
 */
void mpgpu_log_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Duplicate standard error, for messages after the program has closed it.  Done at the start where
 * the environment's options ask for messages. */
void mpgpu_log_keep(void);

/* Messages go to what standard error is now: at the start, and where a test has replaced it. */
void mpgpu_log_look(void);

extern int mpgpu_log_level; /* 0 before the options are read */

#endif
