/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Lehmer's steps on numbers of 52-bit digits by vector instructions, if the CPU has them. */
#ifndef MPGPU_DIGIT_STEPS_H
#define MPGPU_DIGIT_STEPS_H

#include "lib/algorithms/lehmer.h"

/* Does what lehmer_reduce (lib/algorithms/lehmer.h) does, for the unit matrix m, but stops at the
 * first quotient that two limbs do not determine. Does nothing if the CPU has no AVX-512 IFMA, or
 * if the numbers have too few limbs. */
size_t digit_steps(mp_ptr *x, size_t n, size_t t, struct lehmer_matrix *m);

#endif
