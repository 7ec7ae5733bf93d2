/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Prints error messages of one line. */
#ifndef EXAMPLE_COMPLAIN_H
#define EXAMPLE_COMPLAIN_H

enum status { STATUS_DONE, STATUS_FAILED };

/* Prints "mandelbrot: ..." as a line on standard error. Returns STATUS_FAILED. */
enum status complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
