/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The first approximation of a reciprocal, from which Newton's iteration on the device starts
 * (lib/calc/calc_reciprocal.h). The host computes it. */
#ifndef MPGPU_FIRST_RECIPROCAL_H
#define MPGPU_FIRST_RECIPROCAL_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

/* The most limbs of a first approximation. */
#define FIRST_RECIPROCAL_LIMBS 144

/* Computes the first approximation of the reciprocal of {dp, dn} for calc_reciprocal, and stores it
 * at vp. The approximation has f + 1 quads (128 bits each). f is calc_reciprocal_first(k) for a
 * reciprocal of k quads. dp[dn-1] must not be 0. {dp, dn} is first shifted so that its highest quad
 * has `zeros` zero bits at the top, where zeros < 64. */
void first_reciprocal(mp_ptr vp, uint64_t f, mp_srcptr dp, size_t dn, unsigned zeros);

#endif
