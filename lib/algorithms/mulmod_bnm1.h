/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of which a part is known beforehand, inside a composite operation: they are taken
 * modulo B^n - 1 where a device does that sooner than the product in full (lib/multiply/mulmod.c).
 * B is 2^GMP_NUMB_BITS; numbers modulo B^n - 1 have n limbs, and B^n - 1 is 0 too. */
#ifndef MPGPU_MULMOD_BNM1_H
#define MPGPU_MULMOD_BNM1_H

#include "lib/algorithms/composite.h"

/* The n >= least for which a product of un by vn limbs wraps round in less time than
 * it takes in full, least < n < un + vn; 0 if there is none. */
size_t mulmod_bnm1_size(size_t least, size_t un, size_t vn);

/* {rp, n} = {up, un} * {vp, vn} modulo B^n - 1 for an n of mulmod_bnm1_size; rp overlaps neither,
 * and has room for un + vn limbs. */
void mulmod_bnm1_mul(struct composite *w, mp_ptr rp, size_t n, mp_srcptr up, size_t un,
                     mp_srcptr vp, size_t vn);

/* {rp, n} = {xp, xn} - {rp, n} modulo B^n - 1, n <= xn <= 2n, where the result is known to
 * be less than B^(n-1). */
void mulmod_bnm1_subtract_from(mp_ptr rp, size_t n, mp_srcptr xp, size_t xn);

#endif
