/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reduces products on the host. */
#ifndef MPGPU_FOLD_H
#define MPGPU_FOLD_H

#include <gmp.h>
#include <stdint.h>

/* {rp, rn} = {xp, xn} modulo B^rn - 1, or B^rn + 1 if `plus`; 1 <= xn <= 2 rn; rp does not overlap
 * xp. Modulo B^rn - 1 it is 0 only if {xp, xn} is; modulo B^rn + 1 it is canonical. Returns limb
 * rn: 0, or 1 for B^rn. */
uint32_t fold(mp_limb_t *rp, size_t rn, const mp_limb_t *xp, size_t xn, int plus);

#endif
