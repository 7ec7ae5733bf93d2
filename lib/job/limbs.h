/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on limbs in host memory, run as jobs on the device. Each function returns
 * OUTCOME_DONE, or the reason of its failure; the result is then undefined, and operands are
 * unchanged. In comments B = 2^64, and {p, n} is the number of n limbs at p. Results may overlap
 * operands, which costs memory and a copy. Any thread may call the functions. */
#ifndef MPGPU_LIMBS_H
#define MPGPU_LIMBS_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/base/outcome.h"

/* Computes {rp, un+vn} = {up, un} * {vp, vn}. un and vn are at least 1, and either may be the
 * larger one. Computes a square if pointers and sizes are the same. */
enum outcome limbs_mul(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

/* Operands and result of one product of limbs_mul_several: {rp, un+vn} = {up, un} * {vp, vn}. The
 * result overlaps no operand. */
struct limbs_factors {
    mp_limb_t *rp;
    const mp_limb_t *up;
    size_t un;
    const mp_limb_t *vp;
    size_t vn;
};

/* The most products of one call of limbs_mul_several. */
enum { LIMBS_SEVERAL = 12 };

/* Computes `count` products, at most LIMBS_SEVERAL, in few launches if the device can. Unless the
 * outcome is OUTCOME_DONE, all results are undefined. */
enum outcome limbs_mul_several(const struct limbs_factors *f, unsigned count);

/* Computes {rp, un} = {up, un} + {vp, vn}, where un >= vn >= 1. Sets *carry to the carry, 0 or
 * 1. */
enum outcome limbs_add(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn,
                       mp_limb_t *carry);

/* Computes {rp, un} = {up, un} - {vp, vn} modulo B^un, where B = 2^64 and un >= vn >= 1. Sets
 * *borrow to 1 if the difference is negative, otherwise to 0. */
enum outcome limbs_sub(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn,
                       mp_limb_t *borrow);

/* Computes {rp, un+1} = {up, un} v, where un >= 1. */
enum outcome limbs_mul_1(mp_ptr rp, mp_srcptr up, size_t un, mp_limb_t v);

/* Computes {rp, rn} = {wp, wn} + {up, un} v, where un >= 1 and rn > un. If wn > 0, also rn > un + 1
 * and rn > wn. */
enum outcome limbs_addmul_1(mp_ptr rp, size_t rn, mp_srcptr wp, size_t wn, mp_srcptr up, size_t un,
                            mp_limb_t v);

/* Computes {rp, rn} = |{wp, wn} - {up, un} v|, where un >= 1, rn > un + 1 and rn > wn. Sets
 * *negative to true if the difference is negative. */
enum outcome limbs_submul_1(mp_ptr rp, size_t rn, mp_srcptr wp, size_t wn, mp_srcptr up, size_t un,
                            mp_limb_t v, bool *negative);

enum limbs_modulus { LIMBS_MULMOD_LOW, LIMBS_MULMOD_BNM1, LIMBS_MULMOD_BNP1 };

/* Computes {rp, rn} = {up, un} * {vp, vn} modulo B^rn, B^rn - 1 or B^rn + 1, where B = 2^64, as
 * GMP's mpn_mullo_n, mpn_mulmod_bnm1 and mpn_mul_fft do (lib/gmp/gmp_internal.h). un and vn are
 * from 1 to rn, and either may be the larger one; modulo B^rn, rn <= un + vn.
 *
 * Modulo B^rn - 1, the result 0 is written as B^rn - 1 unless an operand is 0. If un + vn <= rn,
 * only un + vn limbs are written. Modulo B^rn + 1, *top is 1 if the result is B^rn itself;
 * otherwise *top is 0. */
enum outcome limbs_mulmod(enum limbs_modulus modulus, mp_ptr rp, size_t rn, mp_srcptr up, size_t un,
                          mp_srcptr vp, size_t vn, mp_limb_t *top);

#endif
