/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes iteration counts with a fraction, so that neighbouring colours differ smoothly. Uses
 * integers in units of 2^-16 only, so that results are the same on every machine. */
#ifndef EXAMPLE_SMOOTH_H
#define EXAMPLE_SMOOTH_H

#include <stdint.h>

#include "examples/mandelbrot/view.h"

enum { SMOOTH_FRACTION = 16 };

/* Returns the logarithm to base 2 of x >= 1 in units of 2^-16, at most two units too small. */
uint32_t smooth_log2(uint64_t x);

/* Returns n + 1 - log2(log |z|^2 / log 4096) for a point that escaped after n iterations. The
 * result falls from n + 1 at |z|^2 = 4096 to n at |z|^2 = 4096^2. */
uint64_t smooth_iterations(struct escape e);

#endif
