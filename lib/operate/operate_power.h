/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers, done on the device (lib/calc/calc_power.h). */
#ifndef MPGPU_OPERATE_POWER_H
#define MPGPU_OPERATE_POWER_H

#include <gmp.h>

#include "lib/base/outcome.h"

/* {rp, *rn} = 2^twos {bp, bn}^e, with zeros at its top, in room for `alloc` limbs; the base's
 * highest limb is not 0, e >= 2.  rp lies apart from bp.  OUTCOME_DONE, or why it was not done:
 * also where there is too little room. */
enum outcome operate_power(mp_ptr rp, size_t alloc, size_t *rn, mp_srcptr bp, size_t bn,
                           unsigned long e, mp_bitcnt_t twos);

#endif
