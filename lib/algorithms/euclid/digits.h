/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of a few dozen limbs by vector instructions, if the CPU has them. */
#ifndef MPGPU_DIGITS_H
#define MPGPU_DIGITS_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

/* The operand sizes, in limbs, at which the vector instructions beat GMP.  Above DIGITS_LIMBS GMP's
 * asymptotically better algorithms are faster. */
enum { DIGITS_LEAST = 24, DIGITS_LIMBS = 208 };

/* Returns true if both sizes are DIGITS_LEAST to DIGITS_LIMBS and the CPU has the instructions. */
bool digits_serve(size_t un, size_t vn);

/* {rp, un+vn} = {up, un} * {vp, vn}, for sizes for which digits_serve returns true. rp overlaps
 * neither operand. */
void digits_mul(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

#endif
