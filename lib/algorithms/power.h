/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers as a composite operation: it consists of products, each computed by the device or by GMP
 * (lib/job/recipe_power.c). */
#ifndef MPGPU_POWER_H
#define MPGPU_POWER_H

#include "lib/algorithms/recipe.h"

/* Returns about the length of {up, un}^e in limbs, at most e / 64 too many; 0 if un = 0 or e < 2.
 * Calls no GMP function, because possibly libgmp is not loaded yet. */
size_t power_limbs(mp_srcptr up, size_t un, unsigned long e);

/* Returns the job (lib/job/job.h) that computes {bp, bn}^e 2^shift, for bp[bn-1] != 0, e >= 2,
 * shift < 64. The caller must set the job's r[0], to which the result is written. Sets `start`,
 * which the caller has initialized, to a short power of the base; the job reads it. The caller
 * must not change or clear `start` until the job is done. */
struct job power_job(mp_srcptr bp, size_t bn, unsigned long e, unsigned shift, mpz_ptr start);

/* Sets r to {up, un}^e, or to -{up, un}^e if `negative`. power_limbs must return more than 0 for
 * these operands. r's limbs are allocated by this library, and do not overlap {up, un}. Returns
 * false if memory is exhausted or the result is too long for an mpz. Also returns false if the odd
 * part of the base is 1, or if the power is below the device's threshold. */
bool power_mpz(struct composite *w, mpz_ptr r, mp_srcptr up, size_t un, unsigned long e,
               bool negative);

#endif
