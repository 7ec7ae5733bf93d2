/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The engines of mpgpu-mandelbrot(3): double, and fixed-point numbers of 128 bits and more. */
#ifndef EXAMPLE_FIXED_H
#define EXAMPLE_FIXED_H

#include <stdbool.h>

#include "examples/mandelbrot/engine.h"

/* Fills the samples of the view, on the device if there is one.  The host computes rows that the
 * device does not compute, to the same last bit.  Prints which of the two did it if `verbose`, or
 * if the user has named a device that did not compute all rows. */
enum status fixed_draw(enum engine engine, const struct view *view, const struct samples *samples,
                       bool verbose);

#endif
