/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Each sample by GMP alone: slow, and what perturbation is compared with. */
#ifndef EXAMPLE_PLAIN_H
#define EXAMPLE_PLAIN_H

#include "examples/mandelbrot/complain.h"
#include "examples/mandelbrot/view.h"

/* Fills the samples of the view, on all cores. */
enum status plain_draw(const struct view *view, const struct samples *samples);

#endif
