/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes jobs on limbs by GMP's own functions, and checks the device's results on the host.
 *
 * A wrong product passes the check by residues only if a random prime divides the error;
 * lib/multiply/check.c has the bound.
 *
 * This check cannot verify a product of u and v modulo M = B^n - 1 or M = B^n + 1, where B = 2^64.
 * The result r differs from u v by a multiple of M that the host does not know. So the host knows
 * the residue of r only modulo divisors of M. These divisors are few and fixed: 2^64 - 1, which
 * divides every B^n - 1, never detects limbs in the wrong order.
 *
 * The device's own check knows the multiple (lib/multiply/wraparound.h). With verify:residue the
 * device computes the whole product instead, at twice the cost. The host checks this product and
 * reduces it modulo M. */
#ifndef MPGPU_LIMBS_GMP_H
#define MPGPU_LIMBS_GMP_H

#include <gmp.h>

#include "lib/job/job.h"

/* gmp_NAME computes the job on limbs NAME by GMP; job_fits must accept the job. Returns false if
 * memory is short. */
#define LIMBS(name, what) bool gmp_##name(struct job *job);
#include "lib/job/ops.def"

/* Computes any operation on limbs by GMP. Returns false if memory is short, or if the table of
 * GMP's functions is empty (lib/gmp/real.h), as in this package's programs that intercept
 * nothing. */
bool limbs_gmp(struct job *job);

/* Checks the result of a job. With verify:residue, compares residues; with verify:full, computes
 * the job by GMP and compares the results. */
enum verify_result limbs_verify(const struct job *job);

/* Returns true for a product modulo B^n, B^n - 1 or B^n + 1, where B = 2^64: mullo, mulmod_bnm1 and
 * mulmod_bnp1. */
bool limbs_is_in_ring(const struct job *job);

/* Sets the result of a mullo, mulmod_bnm1 or mulmod_bnp1 to the whole product {pp, un + vn},
 * reduced. */
void limbs_reduce(struct job *job, const mp_limb_t *pp);

#endif
