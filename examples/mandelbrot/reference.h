/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The reference orbit: the orbit of a view's centre.  All samples are computed relative to it. */
#ifndef EXAMPLE_REFERENCE_H
#define EXAMPLE_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "examples/mandelbrot/complain.h"
#include "examples/mandelbrot/view.h"

/* Points z_0 = 0 to z_last, each as x and y. Either z_last has escaped, or `last` is the maximum
 * of iterations. Only one of the two arrays is used; the other is NULL. */
struct reference {
    size_t last;
    double *z;
    long double *long_z;
};

/* A view's step must exceed the smallest normal number of its type by this power of two, so that
 * distances far below a step do not underflow. */
enum { REFERENCE_SPARE_EXPONENTS = 64 };

/* Returns true if the view's step is too small for double's exponents, so that long double is
 * needed. */
bool reference_is_long(const struct view *view);

/* Computes the orbit by GMP. Prints a message and returns an error if memory does not suffice. */
enum status reference_make(struct reference *r, const struct view *view);
void reference_free(struct reference *r);

#endif
