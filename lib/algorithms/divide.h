/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division of limbs inside a composite operation (lib/calc/calc_divide.h). */
#ifndef MPGPU_DIVIDE_H
#define MPGPU_DIVIDE_H

#include "lib/algorithms/recipe.h"
#include "lib/calc/calc_divide.h"

/* What is compared with the threshold for a division of nn by dn limbs: those of the divisor or
 * of the quotient, whichever has fewer; 0 if there is nothing to divide, or not by that. */
static inline size_t divide_size(size_t nn, size_t dn) {
    return nn < dn ? 0 : min_u64(nn - dn + 1, dn);
}

struct division {
    mp_ptr qp,
        rp; /* nn - dn + 1 and dn limbs; NULL where not wanted.  They may overlap operands. */
    mp_srcptr np, dp;
    size_t nn, dn;  /* nn >= dn >= 2, dp[dn-1] != 0 */
    size_t zeros;   /* of the numerator's limbs: the lowest, which do not lie at np */
    bool *is_less;  /* where not NULL: whether the quotient is less than the remainder; without rp
                       only if dn >= nn - dn + 3, otherwise false perhaps all the same */
    bool *is_exact; /* where not NULL: whether the remainder is 0 */
};

/* Returns the job of a division.  `first`, of FIRST_RECIPROCAL_LIMBS limbs, must stay until the job
 * is done. */
struct job divide_job(const struct division *d, mp_ptr first);

/* {np, nn} / {dp, dn}.  False, and operands are unchanged, if there is no memory. */
bool divide_limbs(struct composite *w, const struct division *d);

/* For all of these: nn >= dn >= 2, dp[dn-1] != 0; the quotient has nn - dn + 1 limbs
 * at qp, the remainder dn at rp, and either may be NULL where it is not wanted. qp and
 * rp may overlap numerator and divisor in any way, but not each other.  They return false,
 * and have changed nothing, if there is no memory. */

/* {np, nn} / {dp, dn}, as mpn_tdiv_qr. */
bool divide_qr(struct composite *w, mp_ptr qp, mp_ptr rp, mp_srcptr np, size_t nn, mp_srcptr dp,
               size_t dn);

/* The quotient alone, which costs less; *exact: whether the remainder is 0. */
bool divide_q(struct composite *w, mp_ptr qp, bool *exact, mp_srcptr np, size_t nn, mp_srcptr dp,
              size_t dn);

/* The quotient where the remainder is 0; where it is not, anything. */
bool divide_exact(struct composite *w, mp_ptr qp, mp_srcptr np, size_t nn, mp_srcptr dp, size_t dn);

/* ---- a divisor that is used again, on the host: its reciprocal is kept.  The struct is not moved
 * while it is open. */
struct divisor {
    struct calc host;
    struct calc_divisor by;
    mp_srcptr dp;
    size_t dn;               /* its limbs */
    const mp_limb_t *first;  /* approximation of the reciprocal, while it opens */
    struct divisor_numbers { /* of the division under way */
        mp_ptr qp, rp;
        mp_srcptr np;
        size_t nn;
    } now;
};

/* {dp, dn}, dn >= 2, dp[dn-1] != 0, for numerators of at most `most` limbs.  False if there is no
 * memory; otherwise divisor_close must follow. */
bool divisor_open(struct divisor *v, struct composite *w, mp_srcptr dp, size_t dn, size_t most);
void divisor_close(struct divisor *v);

/* {np, nn} / {dp, dn}, nn >= dn: as divide_qr.  Takes no memory. */
void divisor_qr(struct divisor *v, mp_ptr qp, mp_ptr rp, mp_srcptr np, size_t nn);

#endif
