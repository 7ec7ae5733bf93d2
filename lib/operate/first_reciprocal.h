/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The first approximation of a reciprocal: the host's part of lib/calc/calc_reciprocal.h. */
#ifndef MPGPU_FIRST_RECIPROCAL_H
#define MPGPU_FIRST_RECIPROCAL_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

/* The most limbs of an approximation. */
#define FIRST_RECIPROCAL_LIMBS 144

/* Writes the first approximation for calc_reciprocal to vp: f + 1 quads, f =
 * calc_reciprocal_first(k). The divisor is {dp, dn}, dp[dn-1] != 0, shifted so that `zeros` < 64
 * bits of a quad are above it. */
void first_reciprocal(mp_ptr vp, uint64_t f, mp_srcptr dp, size_t dn, unsigned zeros);

#endif
