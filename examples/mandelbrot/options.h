/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The arguments of mandelbrot. */
#ifndef EXAMPLE_OPTIONS_H
#define EXAMPLE_OPTIONS_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "examples/mandelbrot/engine.h"
#include "examples/mandelbrot/picture/palette.h"
#include "examples/mandelbrot/view.h"

struct options {
    struct view view; /* of samples: width and height are the picture's times `samples` */
    uint32_t width, height;
    uint32_t samples; /* a side of a pixel */
    uint32_t cycle, position;
    const struct palette *palette;
    enum engine engine;
    const char *output;
    bool verbose;
    /* The given texts, for messages. */
    const char *size_text, *radius_text;
    struct given {
        const char *option, *text;
    } x_given, y_given; /* by --centre or one by one */
};

enum reading { READING_DONE, READING_NOTHING_TO_DRAW, READING_FAILED };

/* Reads the arguments, and passes the library's options on to it.  Prints a message about a bad
 * argument. */
enum reading options_read(struct options *o, int argc, char **argv);
void options_clear(struct options *o);

#endif
