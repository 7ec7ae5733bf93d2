/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Deep zooms: one orbit by GMP, and the distances of all others from it as floating-point
 * numbers. */
#ifndef EXAMPLE_PERTURBATION_H
#define EXAMPLE_PERTURBATION_H

#include "examples/mandelbrot/complain.h"
#include "examples/mandelbrot/view.h"

/* 2^e is the least step that the distances' exponents allow. */
long perturbation_least_log2(void);

/* Fills the samples of the view, on all cores. */
enum status perturbation_draw(const struct view *view, const struct samples *samples);

#endif
