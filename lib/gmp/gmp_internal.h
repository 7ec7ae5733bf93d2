/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions that libgmp exports and gmp.h does not declare. GMP calls them internally, and a few
 * programs do too (GMP-ECM calls mpn_mul_fft). Their behaviour was found by experiments with GMP
 * 6.2.1 and 6.3.0, and tests verify it. */
#ifndef MPGPU_GMP_INTERNAL_H
#define MPGPU_GMP_INTERNAL_H

#include <gmp.h>

#define mpn_mul_fft __MPN(mul_fft)
#define mpn_nussbaumer_mul __MPN(nussbaumer_mul)
#define mpn_mullo_n __MPN(mullo_n)
#define mpn_sqrlo __MPN(sqrlo)
#define mpn_mulmod_bnm1 __MPN(mulmod_bnm1)
#define mpn_sqrmod_bnm1 __MPN(sqrmod_bnm1)
#define mpn_mulmod_bnm1_next_size __MPN(mulmod_bnm1_next_size)
#define mpn_sqrmod_bnm1_next_size __MPN(sqrmod_bnm1_next_size)
#define mpn_divexact __MPN(divexact)
#define mpz_millerrabin __gmpz_millerrabin

/* GMP's memory functions before a program sets its own. */
void *__gmp_default_allocate(size_t bytes);
void *__gmp_default_reallocate(void *p, size_t old, size_t bytes);
void __gmp_default_free(void *p, size_t bytes);

/* Computes {rp, rn} = {up, un} * {vp, vn} modulo B^rn + 1, a number from 0 to B^rn, and returns its
 * limb rn. B is 2^64. rn is a multiple of 2^k; un and vn may exceed rn; rp may be an operand. */
mp_limb_t mpn_mul_fft(mp_ptr rp, mp_size_t rn, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                      mp_size_t vn, int k);

/* Computes {rp, un+vn} = {up, un} * {vp, vn}, where un >= vn >= 1. rp overlaps neither operand. */
void mpn_nussbaumer_mul(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn);

/* Compute the lowest n limbs of a product: of {up, n} * {vp, n}, or of {up, n}^2. rp overlaps no
 * operand. */
void mpn_mullo_n(mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n);
void mpn_sqrlo(mp_ptr rp, mp_srcptr up, mp_size_t n);

/* Compute {up, un} * {vp, vn}, or {up, un}^2, modulo B^rn - 1, where B is 2^64, rn >= un >= vn >= 1
 * and un + vn > rn/2. Write min(rn, un + vn) limbs. The result is 0 if an operand is 0; otherwise
 * it is from 1 to B^rn - 1. rp and the scratch space overlap neither each other nor the
 * operands. */
void mpn_mulmod_bnm1(mp_ptr rp, mp_size_t rn, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                     mp_size_t vn, mp_ptr scratch);
void mpn_sqrmod_bnm1(mp_ptr rp, mp_size_t rn, mp_srcptr up, mp_size_t un, mp_ptr scratch);

/* Return a fast size rn >= n for mpn_mulmod_bnm1 and mpn_sqrmod_bnm1. GMP's callers ask more than
 * once for the same n, for scratch space and for the product, and must get the same value. */
mp_size_t mpn_mulmod_bnm1_next_size(mp_size_t n);
mp_size_t mpn_sqrmod_bnm1_next_size(mp_size_t n);

/* Computes the quotient {qp, nn-dn+1} of {np, nn} by {dp, dn}, a division without remainder. nn >=
 * dn >= 1, and the highest limbs of both are not 0. qp may be np. */
void mpn_divexact(mp_ptr qp, mp_srcptr np, mp_size_t nn, mp_srcptr dp, mp_size_t dn);

/* Does what mpz_probab_prime_p does, for an odd n > 0 that is already checked for small factors. */
int mpz_millerrabin(mpz_srcptr n, int rounds);

#endif
