/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Pictures as PNG files. */
#ifndef EXAMPLE_PNG_FILE_H
#define EXAMPLE_PNG_FILE_H

#include <stdint.h>
#include <stdio.h>

#include "examples/mandelbrot/complain.h"
#include "examples/mandelbrot/picture/palette.h"

/* Writes width by height pixels of 8 bits a colour.  row(context, i, pixels) fills row i; it is
 * called once for each, from the top.  `name` is the file's, for messages. */
enum status png_file_write(FILE *file, const char *name, uint32_t width, uint32_t height,
                           void (*row)(void *context, uint32_t i, struct colour *pixels),
                           void *context);

#endif
