/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Prints messages of mpgpu-run, and exits with a message. */
#ifndef MPGPU_SAY_H
#define MPGPU_SAY_H

enum { RUN_FAILED = 125, RUN_NOT_EXECUTABLE = 126, RUN_NOT_FOUND = 127 };

/* Prints "mpgpu-run: " and the text as one line on standard error. */
void run_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a line as run_say does, and exits with `status`. */
_Noreturn void run_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
