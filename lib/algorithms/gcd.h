/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Greatest common divisors, with or without cofactors, as a composite operation: it consists of
 * products that the device or GMP computes. */
#ifndef MPGPU_GCD_H
#define MPGPU_GCD_H

#include "lib/algorithms/composite.h"

/* Two numbers a, b >= 0 that start as |u| and |v| and are reduced to a gcd. If has_cofactors is
 * set, x and y are their cofactors: a = x |u| and b = y |u| modulo |v|. */
struct gcd {
    struct composite *w;
    mpz_t a, b;
    bool has_cofactors;
    mpz_t x, y;
};

void gcd_init(struct gcd *k, struct composite *w, mpz_srcptr u, mpz_srcptr v, bool has_cofactors);
void gcd_clear(struct gcd *k);

/* Reduces a and b until b <= a and b is short enough for GMP. */
void gcd_reduce(struct gcd *k);

/* g = gcd(u, v). gcd_mpz_by_products uses products; gcd_mpz takes any size, and calls GMP for
 * numbers below the device's threshold. */
void gcd_mpz_by_products(struct composite *w, mpz_ptr g, mpz_srcptr u, mpz_srcptr v);
void gcd_mpz(struct composite *w, mpz_ptr g, mpz_srcptr u, mpz_srcptr v);

/* g = gcd(u, v) = s u + t v, with GMP's s and t.  Each result may be NULL or an operand. */
void gcd_cofactors(struct composite *w, mpz_ptr g, mpz_ptr s, mpz_ptr t, mpz_srcptr u,
                   mpz_srcptr v);

/* r = the inverse of u modulo m.  Returns false, and leaves r unchanged, if there is none. */
bool gcd_invert(struct composite *w, mpz_ptr r, mpz_srcptr u, mpz_srcptr m);

#endif
