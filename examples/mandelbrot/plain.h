/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes each sample by GMP alone. This is slow; it serves as the reference for perturbation. */
#ifndef EXAMPLE_PLAIN_H
#define EXAMPLE_PLAIN_H

#include "examples/mandelbrot/complain.h"
#include "examples/mandelbrot/view.h"

/* Fills the samples of the view, in one thread for each core. */
enum status plain_draw(const struct view *view, const struct samples *samples);

#endif
