/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reduces products modulo B^n - 1 and B^n + 1 on the host, where B = 2^64. */
#ifndef MPGPU_FOLD_H
#define MPGPU_FOLD_H

#include <gmp.h>
#include <stdint.h>

/* Sets {rp, rn} to {xp, xn} modulo B^rn - 1, or modulo B^rn + 1 if `plus`, where 1 <= xn <= 2 rn.
 * rp does not overlap xp. Modulo B^rn - 1 the result is 0 only if {xp, xn} is 0; otherwise B^rn - 1
 * represents 0. Returns limb rn of the result: 1 if it is B^rn modulo B^rn + 1, otherwise 0. */
uint32_t fold(mp_limb_t *rp, size_t rn, const mp_limb_t *xp, size_t xn, int plus);

#endif
