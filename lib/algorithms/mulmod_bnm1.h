/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of which the caller knows one part beforehand.  They are taken modulo B^n - 1 if a
 * device computes that faster than the whole product (lib/multiply/mulmod.c).  B is
 * 2^GMP_NUMB_BITS.  Numbers modulo B^n - 1 have n limbs; B^n - 1 stands for 0, too. */
#ifndef MPGPU_MULMOD_BNM1_H
#define MPGPU_MULMOD_BNM1_H

#include "lib/algorithms/composite.h"

/* Returns an n for which a product of un by vn limbs takes less time modulo B^n - 1 than as a
 * whole.  Here least <= n < un + vn.  Returns 0 if there is no such n. */
size_t mulmod_bnm1_size(size_t least, size_t un, size_t vn);

/* {rp, n} = {up, un} * {vp, vn} modulo B^n - 1, for an n that mulmod_bnm1_size returned. rp
 * overlaps neither operand, and has room for un + vn limbs. */
void mulmod_bnm1_mul(struct composite *w, mp_ptr rp, size_t n, mp_srcptr up, size_t un,
                     mp_srcptr vp, size_t vn);

/* {rp, n} = {xp, xn} - {rp, n} modulo B^n - 1, for n <= xn <= 2n and a result that is known to be
 * less than B^(n-1). */
void mulmod_bnm1_subtract_from(mp_ptr rp, size_t n, mp_srcptr xp, size_t xn);

#endif
