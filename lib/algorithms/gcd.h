/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The large part of a gcd inside a whole operation, with cofactors or without. */
#ifndef MPGPU_GCD_H
#define MPGPU_GCD_H

#include "lib/algorithms/composite_mpz.h"

/* Numbers a, b >= 0 on their way to a gcd, from |u| and |v|; where the cofactors are wanted, a = x
 * |u| and b = y |u| modulo |v|. */
struct gcd {
    struct composite *w;
    mpz_t a, b;
    int has_cofactors;
    mpz_t x, y;
};

void gcd_init(struct gcd *k, struct composite *w, mpz_srcptr u, mpz_srcptr v, int has_cofactors);
void gcd_clear(struct gcd *k);

/* Until b <= a is short enough for GMP. */
void gcd_reduce(struct gcd *k);

#endif
