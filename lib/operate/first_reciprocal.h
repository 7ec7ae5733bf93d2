/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The first approximation of a reciprocal: the host's part of lib/calc/calc_reciprocal.h. */
#ifndef MPGPU_FIRST_RECIPROCAL_H
#define MPGPU_FIRST_RECIPROCAL_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

/* Limbs that it takes at most. */
#define FIRST_RECIPROCAL_LIMBS 144

/* What calc_reciprocal wants for the divisor {dp, dn}, dp[dn-1] != 0, shifted so that `zeros` bits
 * of a quad are above it, zeros < 64: f + 1 quads to vp, f = calc_reciprocal_first(k). */
void first_reciprocal(mp_ptr vp, uint64_t f, mp_srcptr dp, size_t dn, unsigned zeros);

#endif
