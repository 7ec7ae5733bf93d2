/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Square roots of limbs inside a composite operation, by division. */
#ifndef MPGPU_SQRT_H
#define MPGPU_SQRT_H

#include "lib/algorithms/divide.h"

/* What is compared with the threshold for the root of nn limbs: the root's. */
static inline size_t sqrt_size(size_t nn) {
    return (nn + 1) / 2;
}

struct sqrt {
    mp_ptr sp, rp; /* floor(sqrt(N)), (nn + 1) / 2 limbs; N - its square, rn limbs */
    size_t sn, rn; /* the remainder's highest limb is not 0; rn <= sn + 1 */
};

/* Of {np, nn}, whose highest limb is not 0, no fewer than the threshold says.  Unless has_rest
 * the remainder's limbs may be anything, and rn only tells by 0 that it is 0.  False if there is no
 * memory; else sqrt_clear must follow. */
bool sqrt_init(struct composite *w, struct sqrt *x, mp_srcptr np, size_t nn, bool has_rest);

void sqrt_clear(struct sqrt *x);

/* s = floor(sqrt(n)) and, if r is not NULL, r = n - s^2, of no fewer limbs than the threshold says;
 * s and r may be n.  False, and nothing has changed, if there is no memory. */
bool sqrt_mpz_by_products(struct composite *w, mpz_ptr s, mpz_ptr r, mpz_srcptr n);

/* mpz_sqrtrem inside a composite operation, of any size. */
void sqrt_mpz(struct composite *w, mpz_ptr s, mpz_ptr r, mpz_srcptr n);

#endif
