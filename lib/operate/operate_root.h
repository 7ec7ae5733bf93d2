/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Roots of limbs in host memory, done on the device from operands to result. */
#ifndef MPGPU_OPERATE_ROOT_H
#define MPGPU_OPERATE_ROOT_H

#include <gmp.h>
#include <stdbool.h>

#include "lib/base/outcome.h"

struct operate_root {
    mp_ptr sp, rp; /* of the limbs below; rp NULL where not wanted.  They may overlap np. */
    mp_srcptr np;
    size_t nn;       /* np[nn-1] != 0 */
    unsigned long k; /* the degree, 2 or more */
    bool *is_exact;  /* where not NULL: whether the remainder is 0 */
};

/* The limbs of the root and of its remainder, which may have zeros at the top. */
size_t operate_root_limbs(const struct operate_root *x);
size_t operate_root_rest_limbs(const struct operate_root *x);

/* s = floor(the k-th root of {np, nn}), r = {np, nn} - s^k.  OUTCOME_DONE, or why it was not done:
 * {np, nn} is unchanged then.  OUTCOME_SIZE where k is too large, or the root too short. */
enum outcome operate_root(const struct operate_root *x);

#endif
