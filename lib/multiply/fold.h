/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products reduced on the host. */
#ifndef MPGPU_FOLD_H
#define MPGPU_FOLD_H

#include <gmp.h>
#include <stdint.h>

/* {rp, rn} = {xp, xn} modulo B^rn - 1, or with `plus` B^rn + 1; 1 <= xn <= 2 rn; rp lies apart.
 * Modulo B^rn - 1 it is 0 only if {xp, xn} is; modulo B^rn + 1 it is canonical.  Returns its
 * limb rn: 0, or 1 for B^rn. */
uint32_t fold(mp_limb_t *rp, size_t rn, const mp_limb_t *xp, size_t xn, int plus);

#endif
