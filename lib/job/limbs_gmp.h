/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Jobs on limbs computed by GMP's own functions, and the host's check of results.
 *
 * A wrong result passes the check by residues only if the modulus, a random prime of the program,
 * divides its error: lib/multiply/check.c has the bound.
 *
 * For products in a ring, residues of u, v and r do not suffice. u v - r is an unknown multiple of
 * the ring's modulus; its residue is known, 0, only modulo a divisor of the ring's modulus. Such
 * divisors are few and fixed. For many n none of them detects limbs in the wrong order: 2^64 - 1,
 * which divides every B^n - 1, never does.
 *
 * The device's own check knows the multiple from the part of its sums above B^n
 * (lib/multiply/wraparound.h). With verify:residue the device computes the whole product instead,
 * at twice the cost. The host checks it modulo any number, and reduces it. */
#ifndef MPGPU_LIMBS_GMP_H
#define MPGPU_LIMBS_GMP_H

#include <gmp.h>

#include "lib/job/job.h"

/* Compute the job, which must fit, by GMP. Return false without memory. */
#define LIMBS(name, what) bool gmp_##name(struct job *job);
#include "lib/job/ops.def"

/* Computes any operation on limbs by GMP. Returns false also in this package's programs that
 * intercept nothing and have not filled the table of GMP's functions (lib/gmp/real.h). */
bool limbs_gmp(struct job *job);

/* Compares the results of a job with GMP's, or residues if `verify` is VERIFY_RESIDUE. */
enum verify_result limbs_verify(const struct job *job);

/* Returns true for mullo, mulmod_bnm1 and mulmod_bnp1. */
bool limbs_is_in_ring(const struct job *job);

/* Sets the result of such a job from the whole product {pp, un + vn}. */
void limbs_reduce(struct job *job, const mp_limb_t *pp);

#endif
