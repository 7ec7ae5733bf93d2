/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on batches by GMP's functions.  They are called by name, so that calls on long numbers
 * are intercepted. */
#ifndef MPGPU_BATCH_GMP_H
#define MPGPU_BATCH_GMP_H

#include <gmp.h>

#include "lib/job/job.h"

/* Computes one product of n by n limbs, a square if up == vp: {rp, 2n}, or its low half. */
void gmp_multiply(mp_limb_t *rp, const mp_limb_t *up, const mp_limb_t *vp, size_t n, bool is_low);

/* Makes x a read-only view of {xp, n}. */
void gmp_view(mpz_ptr x, const mp_limb_t *xp, size_t n);

/* Makes x a view of number i of operand k; an operand may have one number for all i. */
void gmp_view_number(mpz_ptr x, const struct job *job, const mp_limb_t *const *up, unsigned k,
                     size_t i);

/* Computes the job with GMP's functions.  Number i of {up[k], count n} is number i of operand k.
 * rp[k] is NULL if result k is not wanted.  No arrays overlap.  Allocates by GMP's functions. */
void job_by_gmp(const struct job *job, mp_limb_t *const *rp, const mp_limb_t *const *up);

/* Each gmp_OPERATION computes a job of that operation, with the arguments of job_by_gmp. */
#define BATCH(name, row, shape, made_by)                                                           \
    void gmp_##name(const struct job *job, mp_limb_t *const *rp, const mp_limb_t *const *up);
#include "lib/job/ops.def"

#endif
