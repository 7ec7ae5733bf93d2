/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Parses the values of options. If a value is bad, all functions print a message with the
 * option's name and value. */
#ifndef EXAMPLE_PARSE_H
#define EXAMPLE_PARSE_H

#include <gmp.h>
#include <stdint.h>

#include "examples/mandelbrot/complain.h"
#include "examples/mandelbrot/view.h"

/* Parses a decimal number of any length (examples/mandelbrot/decimal.h). */
enum status parse_decimal(mpq_t value, const char *option, const char *text);

/* X,Y. */
enum status parse_centre(struct view *view, const char *text);

/* Parses an integer from `least` to `most`. */
enum status parse_number(uint32_t *value, const char *option, const char *text, uint32_t least,
                         uint32_t most);

/* Parses WxH, the width and height in pixels, each from 1 to PARSE_MOST_SIDE. */
enum { PARSE_MOST_SIDE = 1000000 };
enum status parse_size(uint32_t *width, uint32_t *height, const char *text);

#endif
