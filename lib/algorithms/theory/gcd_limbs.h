/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Greatest common divisors of limbs, inside a composite operation. */
#ifndef MPGPU_GCD_LIMBS_H
#define MPGPU_GCD_LIMBS_H

#include "lib/algorithms/composite.h"

/* {gp, returned} = gcd of {up, un} and {vp, vn}, for un >= vn >= 1 and vp[vn-1] != 0.  gp may be an
 * operand. */
size_t gcd_limbs(struct composite *w, mp_ptr gp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

/* Computes the gcd, and GMP's cofactor of u: {sp, |*sn|} with *sn's sign.  sp may be the other
 * operand. */
size_t gcd_limbs_cofactor(struct composite *w, mp_ptr gp, mp_ptr sp, mp_size_t *sn, mp_srcptr up,
                          size_t un, mp_srcptr vp, size_t vn);

#endif
