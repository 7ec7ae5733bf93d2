/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Square roots of device numbers. */
#ifndef MPGPU_CALC_SQRT_H
#define MPGPU_CALC_SQRT_H

#include "lib/calc/calc_newton.h"

/* The fewest bits of the root's fraction that calc_sqrtrem computes. */
enum { CALC_SQRT_GUARD = 2 };

/* Returns the index of the lowest quad (128 bits) of n that Newton's iteration reads. Only the
 * remainder needs the quads below it. */
uint64_t calc_sqrt_high(const struct calc_root_plan *plan);

/* Computes s = floor(sqrt(n)) and r = n - s^2, of m quads (128 bits each), for n of 2m quads.
 * calc_newton_begin describes `first`. Makes the operation fail unless the check confirms s^2 + r =
 * n, by residues, and r <= 2s. */
void calc_sqrtrem(struct calc *c, const struct calc_root_plan *plan, struct number s,
                  struct number r, struct number n, struct number first);

#endif
