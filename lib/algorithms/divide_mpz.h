/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division of mpz, by products that the device or GMP computes: divide.h divides the magnitudes,
 * this file handles signs and rounding. */
#ifndef MPGPU_DIVIDE_MPZ_H
#define MPGPU_DIVIDE_MPZ_H

#include "lib/algorithms/composite.h"

/* How a division rounds.  TRUNCATE, FLOOR and CEILING round the quotient towards zero, down and up.
 * MODULO makes the remainder non-negative.  EXACT requires that the remainder is 0. */
enum divide_mpz_rounding {
    DIVIDE_MPZ_TRUNCATE,
    DIVIDE_MPZ_FLOOR,
    DIVIDE_MPZ_CEILING,
    DIVIDE_MPZ_MODULO,
    DIVIDE_MPZ_EXACT
};

/* Returns the size of a division of n by d that is compared with the device's threshold; 0 if |n|
 * has fewer limbs than d. */
size_t divide_mpz_size(mpz_srcptr n, mpz_srcptr d);

/* Computes the quotient q and the remainder r of n / d, by products. q or r may be NULL, and either
 * may be n or d. divide_mpz_size must be at or above the device's threshold. Returns false, and
 * changes no number, if memory is missing. */
bool divide_mpz_by_products(struct composite *w, enum divide_mpz_rounding rounding, mpz_ptr q,
                            mpz_ptr r, mpz_srcptr n, mpz_srcptr d);

/* Do what mpz_tdiv_qr, mpz_mod and mpz_divexact do, for operands of any size.  The device may
 * compute large products inside the division. */
void divide_mpz_tdiv_qr(struct composite *w, mpz_ptr q, mpz_ptr r, mpz_srcptr n, mpz_srcptr d);
void divide_mpz_mod(struct composite *w, mpz_ptr r, mpz_srcptr n, mpz_srcptr d);
void divide_mpz_exact(struct composite *w, mpz_ptr q, mpz_srcptr n, mpz_srcptr d);

#endif
