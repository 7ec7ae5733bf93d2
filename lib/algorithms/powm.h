/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers modulo m as a composite operation: it consists of products, each computed by the device or
 * by GMP (lib/job/recipe_powm.c). */
#ifndef MPGPU_POWM_H
#define MPGPU_POWM_H

#include "lib/algorithms/recipe.h"

struct powm {
    mp_ptr rp; /* the result of mn limbs; may overlap operands */
    mp_srcptr bp, ep, mp;
    size_t bn, en, mn; /* bn >= 1, mn >= 2; the exponent is above 1; the highest limbs of ep and mp
                          are not 0 */
};

/* Returns the job (lib/job/job.h) that computes the power *p.  Writes the first approximation of
 * the modulus's reciprocal to `first`, which has FIRST_RECIPROCAL_LIMBS limbs.  The caller must not
 * free or change `first` until the job is done. */
struct job powm_job(const struct powm *p, mp_ptr first);

/* {rp, mn} = {bp, bn}^{ep, en} modulo {mp, mn}.  Returns false, and leaves the operands unchanged,
 * if memory is missing. */
bool powm_limbs(struct composite *w, const struct powm *p);

/* r = b^e modulo |m|, not negative, for e = {ep, en} > 1 without zero limbs at its top and b not 0.
 * |m| has no fewer limbs than the device's threshold; r may be any operand. Returns false, and
 * changes nothing, if memory is missing, or if m has one limb. */
bool powm_mpz(struct composite *w, mpz_ptr r, mpz_srcptr b, mp_srcptr ep, size_t en, mpz_srcptr m);

#endif
