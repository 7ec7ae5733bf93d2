/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products modulo B^n, B^n - 1 and B^n + 1 on the device, verified as the option
 * `verify` asks.  As in limbs.h, what is not OUTCOME_DONE leaves the operands intact. */
#ifndef MPGPU_LIMBS_MULMOD_H
#define MPGPU_LIMBS_MULMOD_H

#include <gmp.h>
#include <stddef.h>

#include "lib/base/outcome.h"

enum limbs_modulus { LIMBS_MULMOD_LOW, LIMBS_MULMOD_BNM1, LIMBS_MULMOD_BNP1 };

/* {rp, rn} = {up, un} * {vp, vn} by the modulus, as mpn_mullo_n, mpn_mulmod_bnm1 and
 * mpn_mul_fft have it (lib/gmp/gmp_internal.h): LIMBS_MULMOD_BNM1 with un + vn <= rn writes un + vn
 * limbs. un and vn from 1 to rn, in either order; rp overlaps neither operand.  *top is limb rn: 0,
 * or 1 for B^rn itself modulo B^rn + 1. */
enum outcome limbs_mulmod(enum limbs_modulus modulus, mp_ptr rp, size_t rn, mp_srcptr up, size_t un,
                          mp_srcptr vp, size_t vn, mp_limb_t *top);

#endif
