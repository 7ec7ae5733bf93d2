/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Iterations with a fraction, so that colours have no steps.  Integers alone: the same on every
 * machine.  Numbers are in units of 2^-16. */
#ifndef EXAMPLE_SMOOTH_H
#define EXAMPLE_SMOOTH_H

#include <stdint.h>

#include "examples/mandelbrot/view.h"

enum { SMOOTH_FRACTION = 16 };

/* The logarithm to base 2 of x >= 1, in units of 2^-16, at most 2 of them too small. */
uint32_t smooth_log2(uint64_t x);

/* Returns n + 1 - log2(log |z|^2 / log 4096) of a point that has escaped.  It decreases from n + 1
 * to n as |z|^2 increases from 4096 to 4096^2, the next |z|^2. */
uint64_t smooth_iterations(struct escape e);

#endif
