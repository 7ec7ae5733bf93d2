/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Roots of device numbers, of degrees 3 to CALC_ROOT_MOST. */
#ifndef MPGPU_CALC_ROOT_H
#define MPGPU_CALC_ROOT_H

#include "lib/calc/calc_newton.h"

/* The bits of the root's fraction that are wanted, and the least bits of a root. */
enum { CALC_ROOT_GUARD = 40, CALC_ROOT_LEAST = 256 };

/* The words of t and s below, and of n and r. */
uint64_t calc_root_words(const struct calc_root_plan *plan);
uint64_t calc_root_power_words(const struct calc_root_plan *plan);

/* The quads of n from here on are wanted first. */
uint64_t calc_root_high(const struct calc_root_plan *plan);

/* t is the k-th root of n, or 1 more.  `first`: calc_newton_begin. */
void calc_root(struct calc *c, const struct calc_root_plan *plan, struct number t, struct number n,
               struct number first);

/* u = t^(k-1), taken from the room; and where n >= t^k, r = n - t^k, and the number that comes
 * back is 1.  It is 0 where t is too large. */
struct number calc_root_rest(struct calc *c, const struct calc_root_plan *plan, struct number r,
                             struct number *u, struct number n, struct number t);

/* What is demanded proves that t is the root, by residues u = t^(k-1) and t u + r = n; and
 * r < k u. */
void calc_root_demand(struct calc *c, const struct calc_root_plan *plan, struct number n,
                      struct number t, struct number u, struct number r);

/* Where t is too large: s = t - 1 and r = n - s^k.  What is demanded proves both: by residues
 * s + 1 = t, s^k + r = n and t^k; and n < t^k. */
void calc_root_below(struct calc *c, const struct calc_root_plan *plan, struct number s,
                     struct number r, struct number n, struct number t);

#endif
