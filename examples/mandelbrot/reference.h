/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The orbit of a view's centre, by which the orbits of all its samples are told. */
#ifndef EXAMPLE_REFERENCE_H
#define EXAMPLE_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "examples/mandelbrot/complain.h"
#include "examples/mandelbrot/view.h"

/* z_0 = 0 to z_last, x then y; z_last has escaped, or is that of the most iterations.  One of the
 * two arrays is there. */
struct reference {
    size_t last;
    double *z;
    long double *long_z;
};

/* Of a floating-point number, below the exponent of a step: for what is less than a step. */
enum { REFERENCE_SPARE_EXPONENTS = 64 };

/* Whether steps of this view are out of double's exponents, so that long double is needed. */
bool reference_is_long(const struct view *view);

/* By GMP.  Complains where memory does not suffice. */
enum status reference_make(struct reference *r, const struct view *view);
void reference_free(struct reference *r);

#endif
