/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Roots as a composite operation: it consists of products, each computed by the device or by GMP
 * (lib/calc/calc_sqrt.h, lib/calc/calc_root.h). */
#ifndef MPGPU_ROOT_H
#define MPGPU_ROOT_H

#include "lib/algorithms/recipe.h"

struct root {
    mp_ptr sp, rp; /* results of root_limbs and root_rest_limbs limbs; rp may be NULL.  Both may
                      overlap np. */
    mp_srcptr np;
    size_t nn;       /* np[nn-1] != 0 */
    unsigned long k; /* the degree, 2 or more */
    bool *is_exact;  /* if not NULL: set if the remainder is 0, otherwise cleared */
};

/* root_limbs returns the length of the root in limbs, root_rest_limbs the length of its remainder.
 * The root and the remainder may have zero limbs at the top. */
size_t root_limbs(const struct root *x);
size_t root_rest_limbs(const struct root *x);

/* Returns the job (lib/job/job.h) that computes a root.  Writes the first approximations for
 * Newton's iteration to `first`, of JOB_ROOT_FIRST_LIMBS limbs.  `first` must not change until the
 * job is done. */
struct job root_job(const struct root *x, mp_ptr first);

/* s = floor(the k-th root of {np, nn}), r = {np, nn} - s^k.  Returns false if memory is missing,
 * and leaves {np, nn} unchanged.  Returns false, too, if k is too large or the root too short. */
bool root_of_limbs(struct composite *w, const struct root *x);

/* Returns the size that is compared with the device's threshold for the square root of nn limbs:
 * the length of the root in limbs. */
static inline size_t root_square_size(size_t nn) {
    return (nn + 1) / 2;
}

/* Returns the size that is compared with the device's threshold for the n-th root of u: the length
 * of u in limbs. Returns 0 for calls that GMP must compute, such as n < 2, even roots of negative
 * numbers and u = 0. */
size_t root_size(mpz_srcptr u, unsigned long n);

/* r = the n-th root of u, rounded towards zero; rest = u - r^n. root_size must be at or above the
 * device's threshold. r and rest may be NULL, or u. If is_exact is not NULL, *is_exact is set if
 * the rest is 0, and cleared otherwise. Returns false, and leaves all values unchanged, if memory
 * is missing. */
bool root_mpz(struct composite *w, mpz_ptr r, mpz_ptr rest, bool *is_exact, mpz_srcptr u,
              unsigned long n);

/* Does what mpz_sqrtrem does, for operands of any size.  The device may compute large products
 * inside the operation. */
void root_square_mpz(struct composite *w, mpz_ptr s, mpz_ptr r, mpz_srcptr n);

#endif
