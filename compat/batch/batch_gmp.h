/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on batches by GMP's functions, by their names, so that these catch long numbers. */
#ifndef MPGPU_BATCH_GMP_H
#define MPGPU_BATCH_GMP_H

#include <gmp.h>

#include "lib/job/job.h"

/* One product of n limbs, up == vp a square: {rp, 2n}, or its low half. */
void gmp_multiply(mp_limb_t *rp, const mp_limb_t *up, const mp_limb_t *vp, size_t n, bool is_low);

/* A view of {xp, n} as a number, which nothing changes. */
void gmp_view(mpz_ptr x, const mp_limb_t *xp, size_t n);

/* The same of number i of operand k, which may be one for all. */
void gmp_view_number(mpz_ptr x, const struct job *job, const mp_limb_t *const *up, unsigned k,
                     size_t i);

/* The job by GMP's functions, of limbs that overlap nowhere: number i of {up[k], count n} is that
 * of operand k.  rp[k] is NULL where result k is not wanted.  Allocates by GMP's functions. */
void job_by_gmp(const struct job *job, mp_limb_t *const *rp, const mp_limb_t *const *up);

/* What that says, of one operation. */
#define BATCH(name, row, shape, made_by)                                                           \
    void gmp_##name(const struct job *job, mp_limb_t *const *rp, const mp_limb_t *const *up);
#include "lib/job/ops.def"

#endif
