/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The reciprocal of a divisor, by Newton's iteration in products; B is 2^GMP_NUMB_BITS.
 *
 * Of a divisor d of n limbs, normalised (d >= B^n / 2), with k limbs:
 *
 *     v = B^k + {xp, k},    0 < B^(n+k) / d - v < RECIPROCAL_ERROR
 *
 * The j highest limbs of {xp, k} are a reciprocal with j limbs whose error is below
 * RECIPROCAL_ERROR + 1, since cutting off the others takes less than 1 away. */
#ifndef MPGPU_RECIPROCAL_H
#define MPGPU_RECIPROCAL_H

#include "lib/algorithms/composite.h"

enum { RECIPROCAL_ERROR = 6 };

struct reciprocal {
    mp_ptr dp; /* the divisor, shifted left by `shift` bits: {dp, dn}, with dp[-1] = 0 */
    size_t dn;
    unsigned shift;
    mp_ptr xp;
    size_t k;       /* 2 <= k <= dn + 1 */
    mp_ptr scratch; /* for products: at least reciprocal_scratch(dn, k) limbs */
};

/* Of {dp, dn}, dn >= 2, dp[dn-1] != 0, with k limbs, 2 <= k <= dn + 1; inside a composite
 * operation.  False if there is no memory for it; else reciprocal_clear must follow. */
bool reciprocal_init(struct composite *w, struct reciprocal *v, mp_srcptr dp, size_t dn, size_t k);

void reciprocal_clear(struct reciprocal *v);

/* What Newton's last step takes, and a block of a division (divide.c). */
size_t reciprocal_scratch(size_t dn, size_t k);

#endif
