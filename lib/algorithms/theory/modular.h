/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products modulo one number, whose reciprocal is computed once. They consist of products of
 * integers that the device or GMP computes. */
#ifndef MPGPU_MODULAR_H
#define MPGPU_MODULAR_H

#include <stdbool.h>

#include "lib/algorithms/divide.h"

struct modular {
    struct composite *w;
    mpz_srcptr n;
    struct divisor v;
    mp_ptr product;
    bool failed; /* memory was missing: all later results are wrong */
};

/* Opens products modulo n > 0. n has no fewer limbs than the device's threshold, and its limbs must
 * not be moved in memory. Returns false if memory is missing; otherwise modular_clear must
 * follow. */
bool modular_init(struct modular *m, struct composite *w, mpz_srcptr n);
void modular_clear(struct modular *m);

/* r = x y modulo n, for 0 <= x, y < n; r may be x or y. */
void modular_mul(struct modular *m, mpz_ptr r, mpz_srcptr x, mpz_srcptr y);

/* r = x - c modulo n, for 0 <= x < n, |c| < n. */
void modular_sub(struct modular *m, mpz_ptr r, mpz_srcptr x, mpz_srcptr c);

/* Returns true if x = -1 modulo n. */
bool modular_is_minus_1(const struct modular *m, mpz_srcptr x);

#endif
