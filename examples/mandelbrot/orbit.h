/* SPDX-License-Identifier: LGPL-3.0-or-later
 * z -> z^2 + c in GMP's integers, as fixed-point numbers of any length. */
#ifndef EXAMPLE_ORBIT_H
#define EXAMPLE_ORBIT_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "examples/mandelbrot/complain.h"
#include "examples/mandelbrot/view.h"

/* An orbit from z = 0; all numbers are in units of 2^-bits. */
struct orbit {
    unsigned long bits;
    mpz_t cx, cy;
    mpz_t x, y, xx, yy; /* z, and the squares of its parts, rounded down */
    mpz_t norm, sum;
};

/* The bits that tell the samples of a view apart, with 64 and more for what roundings cost. */
unsigned long orbit_bits(const struct view *view);

/* z = 0, c = 0. */
void orbit_init(struct orbit *o, unsigned long bits);
void orbit_clear(struct orbit *o);

/* Back to z = 0. */
void orbit_restart(struct orbit *o);

/* |z|^2 >= MPGPU_MANDELBROT_ESCAPE. */
bool orbit_has_escaped(const struct orbit *o);

/* The next z. */
void orbit_step(struct orbit *o);

/* z as floating-point numbers; the second has exponents that double lacks. */
void orbit_get(const struct orbit *o, double *x, double *y);
void orbit_get_long(const struct orbit *o, long double *x, long double *y);

/* What becomes of c by `most` iterations. */
struct escape orbit_run(struct orbit *o, uint32_t most);

#endif
