/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Draws deep zooms: GMP computes one reference orbit, and floating point computes each sample's
 * distance from it. */
#ifndef EXAMPLE_PERTURBATION_H
#define EXAMPLE_PERTURBATION_H

#include "examples/mandelbrot/complain.h"
#include "examples/mandelbrot/view.h"

/* Returns the least e such that the exponents of long double suffice for a step of 2^e. */
long perturbation_least_log2(void);

/* Fills the samples of the view, in one thread for each core. */
enum status perturbation_draw(const struct view *view, const struct samples *samples);

#endif
