/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers modulo m inside a composite operation. */
#ifndef MPGPU_POWM_H
#define MPGPU_POWM_H

#include "lib/algorithms/composite.h"

/* r = b^e modulo |m|, not negative, for e = {ep, en} > 1 without zero limbs at its top, b not 0,
 * |m| of no fewer limbs than the threshold says; r may be any operand.  False, and nothing has
 * changed, if there is no memory. */
bool powm_mpz(struct composite *w, mpz_ptr r, mpz_srcptr b, mp_srcptr ep, size_t en, mpz_srcptr m);

#endif
