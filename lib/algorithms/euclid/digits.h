/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of a few dozen limbs by vector instructions, where the CPU has them. */
#ifndef MPGPU_DIGITS_H
#define MPGPU_DIGITS_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

/* Limbs of an operand: from the former on this is sooner than GMP, whose
 * better algorithms gain above the latter. */
enum { DIGITS_LEAST = 24, DIGITS_LIMBS = 208 };

/* Are both sizes in that range, and has the CPU such instructions? */
bool digits_serve(size_t un, size_t vn);

/* {rp, un+vn} = {up, un} * {vp, vn}, where digits_serve; rp overlaps neither. */
void digits_mul(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

#endif
