/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The reference orbit: the orbit of a view's centre.  All samples are computed relative to it. */
#ifndef EXAMPLE_REFERENCE_H
#define EXAMPLE_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "examples/mandelbrot/complain.h"
#include "examples/mandelbrot/view.h"

/* z_0 = 0 to z_last, x then y; z_last has escaped, or `last` is the maximum of iterations.  One of
 * the two arrays is NULL. */
struct reference {
    size_t last;
    double *z;
    long double *long_z;
};

/* Exponents that a floating-point type must have below the exponent of a step, for distances less
 * than a step. */
enum { REFERENCE_SPARE_EXPONENTS = 64 };

/* Returns whether steps of this view are too small for double's exponents, so that long double is
 * needed. */
bool reference_is_long(const struct view *view);

/* Computes the orbit by GMP.  Prints a message if memory does not suffice. */
enum status reference_make(struct reference *r, const struct view *view);
void reference_free(struct reference *r);

#endif
