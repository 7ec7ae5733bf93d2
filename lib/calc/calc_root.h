/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Roots of device numbers, of degrees 3 to CALC_ROOT_MOST. */
#ifndef MPGPU_CALC_ROOT_H
#define MPGPU_CALC_ROOT_H

#include "lib/calc/calc_newton.h"

/* CALC_ROOT_GUARD: the fewest bits of the root's fraction that calc_root computes. CALC_ROOT_LEAST:
 * the fewest bits that a root of calc_root must have. */
enum { CALC_ROOT_GUARD = 40, CALC_ROOT_LEAST = 256 };

/* calc_root_words returns the length in words of the root. calc_root_power_words returns that of n
 * and of the remainder. */
uint64_t calc_root_words(const struct calc_root_plan *plan);
uint64_t calc_root_power_words(const struct calc_root_plan *plan);

/* Returns the index of the lowest quad (128 bits) of n that Newton's iteration reads. Only the
 * remainder needs the quads below it. */
uint64_t calc_root_high(const struct calc_root_plan *plan);

/* Computes t, which is the k-th root of n or 1 more. calc_newton_begin describes `first`. */
void calc_root(struct calc *c, const struct calc_root_plan *plan, struct number t, struct number n,
               struct number first);

/* Sets u = t^(k-1), taken by calc_take. If n >= t^k, sets r = n - t^k, and returns the flag 1.
 * Returns the flag 0 if t is too large. */
struct number calc_root_rest(struct calc *c, const struct calc_root_plan *plan, struct number r,
                             struct number *u, struct number n, struct number t);

/* Makes the operation fail unless t is the root. The check tests u = t^(k-1) and t u + r = n by
 * residues, and r < k u. */
void calc_root_demand(struct calc *c, const struct calc_root_plan *plan, struct number n,
                      struct number t, struct number u, struct number r);

/* Corrects a root t that is too large: sets s = t - 1 and r = n - s^k. Makes the operation fail
 * unless s and r are right. The check verifies s + 1 = t, s^k + r = n and the power t^k by
 * residues. It compares n with t^k: n must be less. */
void calc_root_below(struct calc *c, const struct calc_root_plan *plan, struct number s,
                     struct number r, struct number n, struct number t);

#endif
