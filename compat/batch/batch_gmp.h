/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes operations on batches with GMP's functions. Calls these functions by their exported
 * names, so that calls on long numbers can be intercepted. */
#ifndef MPGPU_BATCH_GMP_H
#define MPGPU_BATCH_GMP_H

#include <gmp.h>

#include "lib/job/job.h"

/* Computes the product of {up, n} and {vp, n}, a square if up == vp. Writes its 2n limbs to rp, or
 * only the low n limbs if is_low. */
void gmp_multiply(mp_limb_t *rp, const mp_limb_t *up, const mp_limb_t *vp, size_t n, bool is_low);

/* Makes x a read-only view of {xp, n}. */
void gmp_view(mpz_ptr x, const mp_limb_t *xp, size_t n);

/* Makes x a view of number i of operand k of the job. If the operand has a single number, that
 * number is used for all i. */
void gmp_view_number(mpz_ptr x, const struct job *job, const mp_limb_t *const *up, unsigned k,
                     size_t i);

/* Computes the job with GMP's functions, which may allocate memory. up[k] has the numbers of
 * operand k, one after another. Writes result k to rp[k] unless rp[k] is NULL. No result overlaps
 * another array; two operands may be the same array. */
void job_by_gmp(const struct job *job, mp_limb_t *const *rp, const mp_limb_t *const *up);

/* gmp_NAME computes a job of the operation NAME of ops.def. The arguments are those of
 * job_by_gmp. */
#define BATCH(name, row, shape, made_by)                                                           \
    void gmp_##name(const struct job *job, mp_limb_t *const *rp, const mp_limb_t *const *up);
#include "lib/job/ops.def"

#endif
