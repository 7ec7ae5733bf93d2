/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Roots inside a composite operation (lib/calc/calc_sqrt.h, lib/calc/calc_root.h). */
#ifndef MPGPU_ROOT_H
#define MPGPU_ROOT_H

#include "lib/algorithms/recipe.h"

struct root {
    mp_ptr sp, rp; /* of the limbs below; rp NULL where not wanted.  They may overlap np. */
    mp_srcptr np;
    size_t nn;       /* np[nn-1] != 0 */
    unsigned long k; /* the degree, 2 or more */
    bool *is_exact;  /* where not NULL: whether the remainder is 0 */
};

/* The limbs of the root and of its remainder, which may have zeros at the top. */
size_t root_limbs(const struct root *x);
size_t root_rest_limbs(const struct root *x);

/* Returns the job of a root that the recipes take.  `first`, of JOB_ROOT_FIRST_LIMBS limbs, must
 * stay until the job is done. */
struct job root_job(const struct root *x, mp_ptr first);

/* s = floor(the k-th root of {np, nn}), r = {np, nn} - s^k.  False, and {np, nn} is unchanged, if
 * there is no memory; also where k is too large, or the root too short. */
bool root_of_limbs(struct composite *w, const struct root *x);

/* What is compared with the threshold for the square root of nn limbs: the root's limbs. */
static inline size_t root_square_size(size_t nn) {
    return (nn + 1) / 2;
}

/* What is compared with the threshold for the n-th root of u: its limbs.  0: not for products.
 * Errors are GMP's: n = 0, and even roots of negative numbers. */
size_t root_size(mpz_srcptr u, unsigned long n);

/* r = the n-th root of u, towards zero, rest = u - r^n, where the size is no less than the
 * threshold; r and rest may be NULL, or u; *is_exact, if not NULL: whether the rest is 0.  False,
 * and values are what they were, if there is no memory. */
bool root_mpz(struct composite *w, mpz_ptr r, mpz_ptr rest, bool *is_exact, mpz_srcptr u,
              unsigned long n);

/* mpz_sqrtrem inside a composite operation, of any size. */
void root_square_mpz(struct composite *w, mpz_ptr s, mpz_ptr r, mpz_srcptr n);

#endif
