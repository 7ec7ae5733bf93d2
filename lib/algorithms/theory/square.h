/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Perfect squares: tests small residues first, then computes the root by products that the device
 * or GMP computes. */
#ifndef MPGPU_SQUARE_H
#define MPGPU_SQUARE_H

#include "lib/algorithms/composite.h"

/* Returns false if a residue of {up, n} proves that it is no square. This detects all but one of
 * 65,000 numbers that are no squares. n >= 1; the highest limb may be 0. */
bool square_is_possible(mp_srcptr up, size_t n);

/* Sets *is_square if {up, n} is a square, clears it otherwise. up[n-1] != 0, and
 * root_square_size(n) is at or above the device's threshold. Returns false, and decides nothing, if
 * memory is missing. */
bool square_decide(struct composite *w, mp_srcptr up, size_t n, bool *is_square);

#endif
