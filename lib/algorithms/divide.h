/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division of limbs as a composite operation: it consists of products, each computed by the device
 * or by GMP (lib/calc/calc_divide.h). */
#ifndef MPGPU_DIVIDE_H
#define MPGPU_DIVIDE_H

#include "lib/algorithms/recipe.h"
#include "lib/calc/calc_divide.h"

/* Returns the size that is compared with the device's threshold for a division of nn by dn limbs:
 * the smaller of dn and nn - dn + 1, or 0 if nn < dn. */
static inline size_t divide_size(size_t nn, size_t dn) {
    return nn < dn ? 0 : min_u64(nn - dn + 1, dn);
}

struct division {
    mp_ptr qp, rp; /* the quotient of nn - dn + 1 limbs, the remainder of dn limbs.  Either may be
                      NULL if it is not wanted, and may overlap operands */
    mp_srcptr np, dp;
    size_t nn, dn;  /* nn >= dn >= 2, dp[dn-1] != 0 */
    size_t zeros;   /* number of the numerator's low limbs that are 0 and not stored at np */
    bool *is_less;  /* if not NULL: set if the quotient is less than the remainder. If rp is NULL
                       and dn < nn - dn + 3, *is_less may be clear nevertheless */
    bool *is_exact; /* if not NULL: set if the remainder is 0, otherwise cleared */
};

/* Returns the job (lib/job/job.h) that computes a division.  Writes the first approximation of the
 * divisor's reciprocal to `first`, which has FIRST_RECIPROCAL_LIMBS limbs.  The caller must not
 * free or change `first` until the job is done. */
struct job divide_job(const struct division *d, mp_ptr first);

/* Computes {np, nn} / {dp, dn}.  Returns false, and leaves the operands unchanged, if memory is
 * missing. */
bool divide_limbs(struct composite *w, const struct division *d);

/* These functions require nn >= dn >= 2 and dp[dn-1] != 0. The quotient has nn - dn + 1 limbs at
 * qp, the remainder dn limbs at rp; either pointer may be NULL if its result is not asked for. qp
 * and rp may overlap numerator and divisor in any way, but not each other. The functions return
 * false, and change nothing, if memory is missing. */

/* Computes {np, nn} / {dp, dn}, like mpn_tdiv_qr. */
bool divide_qr(struct composite *w, mp_ptr qp, mp_ptr rp, mp_srcptr np, size_t nn, mp_srcptr dp,
               size_t dn);

/* Computes the quotient alone, which costs less than quotient and remainder.  Sets *exact if the
 * remainder is 0, clears it otherwise. */
bool divide_q(struct composite *w, mp_ptr qp, bool *exact, mp_srcptr np, size_t nn, mp_srcptr dp,
              size_t dn);

/* Sets qp to the quotient if the remainder is 0, otherwise to an unspecified number. */
bool divide_exact(struct composite *w, mp_ptr qp, mp_srcptr np, size_t nn, mp_srcptr dp, size_t dn);

/* ---- A divisor by which the host divides several times.  The struct contains the divisor's
 * reciprocal.  The struct must not be moved in memory while it is open. */
struct divisor {
    struct calc host;
    struct calc_divisor by;
    mp_srcptr dp;
    size_t dn;               /* its limbs */
    const mp_limb_t *first;  /* approximated reciprocal; valid while divisor_open runs */
    struct divisor_numbers { /* operands and results of the current division */
        mp_ptr qp, rp;
        mp_srcptr np;
        size_t nn;
    } now;
};

/* Opens the divisor {dp, dn}, for dn >= 2, dp[dn-1] != 0 and numerators of at most `most` limbs.
 * Returns false if memory is missing; otherwise the caller must call divisor_close. */
bool divisor_open(struct divisor *v, struct composite *w, mp_srcptr dp, size_t dn, size_t most);
void divisor_close(struct divisor *v);

/* Computes {np, nn} / {dp, dn} for nn >= dn, like divide_qr.  It allocates nothing. */
void divisor_qr(struct divisor *v, mp_ptr qp, mp_ptr rp, mp_srcptr np, size_t nn);

#endif
