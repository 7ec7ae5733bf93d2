/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers modulo m of limbs in host memory, done on the device from operands to result. */
#ifndef MPGPU_OPERATE_POWM_H
#define MPGPU_OPERATE_POWM_H

#include <gmp.h>
#include <stdbool.h>

#include "lib/base/outcome.h"

struct operate_power {
    mp_ptr rp; /* mn limbs; may overlap operands */
    mp_srcptr bp, ep, mp;
    size_t bn, en, mn; /* bn >= 1, mn >= 2; e > 1; no zero limbs at the top of ep and mp */
};

/* Does it end within some seconds?  While it runs, fork and exit wait for it. */
bool operate_powm_is_short(size_t mn, size_t en);

/* {rp, mn} = {bp, bn}^{ep, en} modulo {mp, mn}.  OUTCOME_DONE, or why it was not done, OUTCOME_SIZE
 * for exponents that never are short: operands are unchanged then. */
enum outcome operate_powm(const struct operate_power *p);

#endif
