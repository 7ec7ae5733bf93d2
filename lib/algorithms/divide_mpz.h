/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division of mpz inside a composite operation: magnitudes by products (divide.h), signs and
 * rounding here. */
#ifndef MPGPU_DIVIDE_MPZ_H
#define MPGPU_DIVIDE_MPZ_H

#include "lib/algorithms/composite.h"

/* Towards zero; down; up; a remainder that is not negative; without remainder. */
enum divide_mpz_rounding {
    DIVIDE_MPZ_TRUNCATE,
    DIVIDE_MPZ_FLOOR,
    DIVIDE_MPZ_CEILING,
    DIVIDE_MPZ_MODULO,
    DIVIDE_MPZ_EXACT
};

/* The size of a division of n by d that counts: 0 where there is nothing to divide. */
size_t divide_mpz_size(mpz_srcptr n, mpz_srcptr d);

/* Quotient and remainder of n by d, by products; q or r may be NULL, and either may be n or d.
 * divide_mpz_size is no less than the threshold.  False if there is no memory: then operands and
 * results have their values still. */
bool divide_mpz_by_products(struct composite *w, enum divide_mpz_rounding rounding, mpz_ptr q,
                            mpz_ptr r, mpz_srcptr n, mpz_srcptr d);

/* mpz_tdiv_qr, mpz_mod and mpz_divexact inside a composite operation, of any size. */
void divide_mpz_tdiv_qr(struct composite *w, mpz_ptr q, mpz_ptr r, mpz_srcptr n, mpz_srcptr d);
void divide_mpz_mod(struct composite *w, mpz_ptr r, mpz_srcptr n, mpz_srcptr d);
void divide_mpz_exact(struct composite *w, mpz_ptr q, mpz_srcptr n, mpz_srcptr d);

#endif
