/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Parses the arguments of mandelbrot. */
#ifndef EXAMPLE_OPTIONS_H
#define EXAMPLE_OPTIONS_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "examples/mandelbrot/engine.h"
#include "examples/mandelbrot/picture/palette.h"
#include "examples/mandelbrot/view.h"

struct options {
    struct view view; /* the grid of samples, `samples` times as wide and as high as the picture */
    uint32_t width, height;
    uint32_t samples; /* samples along each side of a pixel */
    uint32_t cycle, position;
    const struct palette *palette;
    enum engine engine;
    const char *output;
    bool verbose;
    /* The option values as given on the command line, for messages. */
    const char *size_text, *radius_text;
    struct given {
        const char *option, *text;
    } x_given,
        y_given; /* the options that set the centre's coordinates: --centre, or --x and --y */
};

enum reading { READING_DONE, READING_NOTHING_TO_DRAW, READING_FAILED };

/* Parses the arguments, and passes --backend and --device on to the library. Prints a message
 * about a bad argument. */
enum reading options_read(struct options *o, int argc, char **argv);
void options_clear(struct options *o);

#endif
