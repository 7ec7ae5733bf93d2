/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Divisibility and multiplicities, by products that the device or GMP computes. */
#ifndef MPGPU_DIVISIBLE_H
#define MPGPU_DIVISIBLE_H

#include "lib/algorithms/composite.h"

/* Returns false if low bits prove that no multiple of d has `low` as its lowest limb; d is not 0.
 */
bool divisible_is_possible(mp_limb_t low, mpz_srcptr d);

/* Sets *divides if d divides n, clears it otherwise. d has at least two limbs, and n no fewer.
 * Returns false, and decides nothing, if memory is missing. */
bool divisible_decide(struct composite *w, mpz_srcptr n, mpz_srcptr d, bool *divides);

/* Sets *is_congruent if d divides a - c, clears it otherwise. d has at least two limbs.  Returns
 * false, and decides nothing, if memory is missing. */
bool divisible_decide_congruence(struct composite *w, mpz_srcptr a, mpz_srcptr c, mpz_srcptr d,
                                 bool *is_congruent);

/* Divides n by f until f is no factor any more, for |f| > 1 and n not 0.  Sets r, which may be n or
 * f, to the quotient.  Returns the number of divisions. */
mp_bitcnt_t divisible_remove(struct composite *w, mpz_ptr r, mpz_srcptr n, mpz_srcptr f);

#endif
