/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of mpz inside a whole operation. */
#ifndef MPGPU_WHOLE_MPZ_H
#define MPGPU_WHOLE_MPZ_H

#include "whole.h"

/* w = x * y; w may be either. */
void whole_mpz_mul(struct whole *whole, mpz_ptr w, mpz_srcptr x, mpz_srcptr y);

#endif
