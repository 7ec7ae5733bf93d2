/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division of limbs inside a composite operation, by products. */
#ifndef MPGPU_DIVIDE_H
#define MPGPU_DIVIDE_H

#include "lib/algorithms/reciprocal.h"

/* What is compared with the threshold for a division of nn by dn limbs: those of the divisor or
 * of the quotient, whichever has fewer; 0 if there is nothing to divide, or not by that. */
static inline size_t divide_size(size_t nn, size_t dn) {
    return nn < dn ? 0 : min_u64(nn - dn + 1, dn);
}

/* For all of these: nn >= dn >= 2, dp[dn-1] != 0; the quotient has nn - dn + 1 limbs
 * at qp, the remainder dn at rp, and either may be NULL where it is not wanted. qp and
 * rp may overlap numerator and divisor in any way, but not each other.  They return false,
 * and have changed nothing, if there is no memory. */

/* {np, nn} / {dp, dn}, as mpn_tdiv_qr. */
bool divide_qr(struct composite *w, mp_ptr qp, mp_ptr rp, mp_srcptr np, size_t nn, mp_srcptr dp,
               size_t dn);

/* The same by a divisor of v->dn limbs whose reciprocal is there. */
bool divide_by(struct composite *w, const struct reciprocal *v, mp_ptr qp, mp_ptr rp, mp_srcptr np,
               size_t nn);

/* The quotient alone, which costs less; *exact: whether the remainder is 0. */
bool divide_q(struct composite *w, mp_ptr qp, bool *exact, mp_srcptr np, size_t nn, mp_srcptr dp,
              size_t dn);

/* The quotient where the remainder is 0; where it is not, anything. */
bool divide_exact(struct composite *w, mp_ptr qp, mp_srcptr np, size_t nn, mp_srcptr dp, size_t dn);

/* In place, by the shifted divisor: {np, nn} / {v->dp, v->dn}, nn > v->dn, where the
 * quotient is less than B^(nn - dn), which is so if {np, nn}'s highest v->dn limbs are less
 * than the divisor: the quotient's nn - dn limbs to qp (if not NULL), the remainder to
 * {np, dn}; what lies above is lost.  qp overlaps nothing.  Takes no memory. */
void divide_in_place(struct composite *w, const struct reciprocal *v, mp_ptr qp, mp_ptr np,
                     size_t nn);

/* The limbs of the reciprocal that make a division with qn limbs of quotient by dn
 * limbs cheapest. */
size_t divide_reciprocal_size(size_t qn, size_t dn);

#endif
