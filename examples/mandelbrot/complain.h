/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What went wrong, in one line. */
#ifndef EXAMPLE_COMPLAIN_H
#define EXAMPLE_COMPLAIN_H

enum status { STATUS_DONE, STATUS_FAILED };

/* Prints "mandelbrot: ..." as a line on standard error.  Gives STATUS_FAILED. */
enum status complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
