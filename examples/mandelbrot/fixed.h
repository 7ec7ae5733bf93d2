/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes samples with double and fixed-point numbers of 128 to 256 bits (mpgpu-mandelbrot(3)). */
#ifndef EXAMPLE_FIXED_H
#define EXAMPLE_FIXED_H

#include <stdbool.h>

#include "examples/mandelbrot/engine.h"

/* Fills the samples of the view, on the device if there is one.  The host computes the rows that
 * the device does not compute, and gets the same results as the device would.  Prints whether
 * device or host computed the rows if `verbose`, or if an open device that the user has named did
 * not compute all. */
enum status fixed_draw(enum engine engine, const struct view *view, const struct samples *samples,
                       bool verbose);

#endif
