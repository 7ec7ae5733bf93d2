/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The engines of mpgpu-mandelbrot(3): double, and fixed-point numbers of 128 bits and more. */
#ifndef EXAMPLE_FIXED_H
#define EXAMPLE_FIXED_H

#include <stdbool.h>

#include "examples/mandelbrot/engine.h"

/* Fills the samples of the view, on the device if there is one.  Rows that it does not do are
 * done by the host's own code, to the same last bit.  `verbose` tells which it was, as does a
 * device that the user has named and that does not do all. */
enum status fixed_draw(enum engine engine, const struct view *view, const struct samples *samples,
                       bool verbose);

#endif
