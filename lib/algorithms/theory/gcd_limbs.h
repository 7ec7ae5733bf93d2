/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Greatest common divisors of numbers given as limbs, by products that the device or GMP
 * computes. */
#ifndef MPGPU_GCD_LIMBS_H
#define MPGPU_GCD_LIMBS_H

#include "lib/algorithms/composite.h"

/* Computes the gcd of {up, un} and {vp, vn} to gp, for un >= vn >= 1 and vp[vn-1] != 0. Returns the
 * number of its limbs. gp may be up or vp. */
size_t gcd_limbs(struct composite *w, mp_ptr gp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

/* Computes the gcd as gcd_limbs does. Also computes the cofactor of u that mpn_gcdext returns: {sp,
 * |*sn|}, negative if *sn < 0. If gp is one of the operands, sp may be the other one. */
size_t gcd_limbs_cofactor(struct composite *w, mp_ptr gp, mp_ptr sp, mp_size_t *sn, mp_srcptr up,
                          size_t un, mp_srcptr vp, size_t vn);

#endif
