/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Iterates z -> z^2 + c with GMP's integers, which are fixed-point numbers of any length. */
#ifndef EXAMPLE_ORBIT_H
#define EXAMPLE_ORBIT_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "examples/mandelbrot/complain.h"
#include "examples/mandelbrot/view.h"

/* The state of an orbit that begins at z = 0. All numbers are in units of 2^-bits. */
struct orbit {
    unsigned long bits;
    mpz_t cx, cy;
    mpz_t x, y, xx, yy; /* real and imaginary part of z; the squares of both, rounded down */
    mpz_t norm, sum;
};

/* Returns the number of fraction bits needed to distinguish the view's samples, plus at least 64
 * bits for rounding errors. */
unsigned long orbit_bits(const struct view *view);

/* Initialises the orbit with z = 0 and c = 0. */
void orbit_init(struct orbit *o, unsigned long bits);
void orbit_clear(struct orbit *o);

/* Sets z to 0. */
void orbit_restart(struct orbit *o);

/* |z|^2 >= MPGPU_MANDELBROT_ESCAPE. */
bool orbit_has_escaped(const struct orbit *o);

/* The next z. */
void orbit_step(struct orbit *o);

/* Convert the real and imaginary part of z to floating point. orbit_get_long is for values with
 * exponents that double lacks. */
void orbit_get(const struct orbit *o, double *x, double *y);
void orbit_get_long(const struct orbit *o, long double *x, long double *y);

/* Iterates from z = 0 until z escapes, at most `most` times. Returns the number of iterations and
 * the last |z|^2, or 0 if z has not escaped. */
struct escape orbit_run(struct orbit *o, uint32_t most);

#endif
