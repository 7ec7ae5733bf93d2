/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Writes pictures as PNG files. */
#ifndef EXAMPLE_PNG_FILE_H
#define EXAMPLE_PNG_FILE_H

#include <stdint.h>
#include <stdio.h>

#include "examples/mandelbrot/complain.h"
#include "examples/mandelbrot/picture/palette.h"

/* Writes a picture of `width` by `height` pixels with 8 bits per colour. Calls row(context, i,
 * pixels) once per row, from the top; the function fills row i. `name` is the file's name, for
 * messages. */
enum status png_file_write(FILE *file, const char *name, uint32_t width, uint32_t height,
                           void (*row)(void *context, uint32_t i, struct colour *pixels),
                           void *context);

#endif
