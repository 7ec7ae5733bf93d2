/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the view from the options, and checks that it can be drawn. */
#ifndef EXAMPLE_FRAME_H
#define EXAMPLE_FRAME_H

#include "examples/mandelbrot/options.h"

/* The largest coordinate of a picture.  Points farther than 2 from 0 are outside the Mandelbrot
 * set. */
enum { FRAME_FARTHEST = 32 };

/* Completes o->view.  On entry it has x and y, and its field `step` has the picture's radius.
 * If o->engine is auto, chooses an engine.  Prints a message and returns an error if the radius
 * is not above 0 or too small for the engine, if a coordinate exceeds FRAME_FARTHEST, or if
 * memory is short. */
enum status frame(struct options *o);

#endif
