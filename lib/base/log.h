/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Messages: to where standard error is at the start, each line with "mpgpu: " before it, and only
 * those that the option `log` asks for. */
#ifndef MPGPU_LOG_H
#define MPGPU_LOG_H

enum { LOG_WARNING = 1, LOG_INFO = 2, LOG_DETAIL = 3 };

/* Print if log_level is at least `level`.  One write() a line. */
void mpgpu_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Print always: for wrong options, and for what `stats` and `confirm` ask for. */
void mpgpu_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Keep standard error, for messages that come when the program has closed it.  The environment's
 * options have asked for that already. */
void mpgpu_log_keep(void);

/* Standard error is what it is now: at the start, and where a test has put another in its place. */
void mpgpu_log_look(void);

extern int mpgpu_log_level; /* 0 before the options are read */

#endif
