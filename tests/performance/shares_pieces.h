/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What a step of a shared product is made of, each by itself. */
#ifndef MPGPU_SHARES_PIECES_H
#define MPGPU_SHARES_PIECES_H

#include <gmp.h>
#include <stddef.h>

/* Prints what each takes the first device of two, for n by n limbs at up that come from there and
 * 2 n limbs of a result that go to rp; rp may be changed. */
void shares_pieces(mp_limb_t *rp, const mp_limb_t *up, size_t n);

#endif
