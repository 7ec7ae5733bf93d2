/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the view from the options, and checks that it can be drawn. */
#ifndef EXAMPLE_FRAME_H
#define EXAMPLE_FRAME_H

#include "examples/mandelbrot/options.h"

/* No coordinate of a picture is beyond; all that is farther than 2 from 0 has escaped. */
enum { FRAME_FARTHEST = 32 };

/* Completes o->view, in which x and y are set and `step` is the radius, and o->engine if it is
 * auto.  Prints a message if there is nothing to draw, or no engine or memory for it. */
enum status frame(struct options *o);

#endif
