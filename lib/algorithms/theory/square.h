/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Perfect squares: small residues first, then the root, inside a composite operation. */
#ifndef MPGPU_SQUARE_H
#define MPGPU_SQUARE_H

#include "lib/algorithms/composite.h"

/* False where a residue of {up, n} tells that it is no square: of all but one of 100,000 that are
 * none.  n >= 1; its highest limb may be 0. */
bool square_is_possible(mp_srcptr up, size_t n);

/* Is {up, n} a square?  up[n-1] != 0, and n is no fewer limbs than the threshold says.  False, and
 * nothing is said, if there is no memory. */
bool square_decide(struct composite *w, mp_srcptr up, size_t n, bool *is_square);

#endif
