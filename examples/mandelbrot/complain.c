/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Prints error messages of one line. */
#include "config.h"

#include "examples/mandelbrot/complain.h"

#include <stdarg.h>
#include <stdio.h>

#include "examples/mandelbrot/progress.h"

enum status complain(const char *format, ...) {
    va_list args;
    progress_end();
    va_start(args, format);
    fputs("mandelbrot: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return STATUS_FAILED;
}
