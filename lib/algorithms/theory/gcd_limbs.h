/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Greatest common divisors of limbs, inside a composite operation. */
#ifndef MPGPU_GCD_LIMBS_H
#define MPGPU_GCD_LIMBS_H

#include "lib/algorithms/composite.h"

/* {gp, that} = gcd of {up, un} and {vp, vn}; un >= vn >= 1, vp[vn-1] != 0.  gp may be an operand.
 */
size_t gcd_limbs(struct composite *w, mp_ptr gp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

/* The same, and {sp, |*sn|} with *sn's sign is GMP's cofactor of u.  sp may be the other operand.
 */
size_t gcd_limbs_cofactor(struct composite *w, mp_ptr gp, mp_ptr sp, mp_size_t *sn, mp_srcptr up,
                          size_t un, mp_srcptr vp, size_t vn);

#endif
