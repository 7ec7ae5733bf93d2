/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division of limbs in host memory, done on the device from operands to result. */
#ifndef MPGPU_OPERATE_DIVIDE_H
#define MPGPU_OPERATE_DIVIDE_H

#include <gmp.h>
#include <stdbool.h>

#include "lib/base/outcome.h"

struct operate_division {
    mp_ptr qp,
        rp; /* nn - dn + 1 and dn limbs; NULL where not wanted.  They may overlap operands. */
    mp_srcptr np, dp;
    size_t nn, dn;  /* nn >= dn >= 2, dp[dn-1] != 0 */
    size_t zeros;   /* of the numerator's limbs: the lowest, which do not lie at np */
    bool *is_less;  /* where not NULL: whether the quotient is less than the remainder, */
    bool *is_exact; /* and whether the remainder is 0 */
};

/* {np, nn} / {dp, dn}.  OUTCOME_DONE, or why it was not done: operands are unchanged then. */
enum outcome operate_divide(const struct operate_division *d);

#endif
