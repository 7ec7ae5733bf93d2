/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Jobs on limbs in host memory. Each function returns OUTCOME_DONE, or why it failed: the result is
 * then undefined, and operands are unchanged. B = 2^64. Results may overlap operands, which costs
 * memory and a copy. Any thread. */
#ifndef MPGPU_LIMBS_H
#define MPGPU_LIMBS_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/base/outcome.h"

/* {rp, un+vn} = {up, un} * {vp, vn}; un, vn >= 1 in either order.  A square if pointers and sizes
 * are the same. */
enum outcome limbs_mul(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

/* Operands of one of several products; rp overlaps no operand. */
struct limbs_factors {
    mp_limb_t *rp;
    const mp_limb_t *up;
    size_t un;
    const mp_limb_t *vp;
    size_t vn;
};

/* The most products of one call. */
enum { LIMBS_SEVERAL = 12 };

/* Computes several products, at most LIMBS_SEVERAL: at once if the device can. If the outcome is
 * not OUTCOME_DONE, all results are undefined. */
enum outcome limbs_mul_several(const struct limbs_factors *f, unsigned count);

/* {rp, un} = {up, un} + {vp, vn}; un >= vn >= 1.  *carry is limb un. */
enum outcome limbs_add(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn,
                       mp_limb_t *carry);

/* {rp, un} = {up, un} - {vp, vn}, un >= vn >= 1. *borrow is 1 if the difference is negative; the
 * result is then modulo B^un. */
enum outcome limbs_sub(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn,
                       mp_limb_t *borrow);

/* {rp, un+1} = {up, un} v; un >= 1. */
enum outcome limbs_mul_1(mp_ptr rp, mp_srcptr up, size_t un, mp_limb_t v);

/* {rp, rn} = {wp, wn} + {up, un} v; un >= 1, rn > un; if wn > 0, rn > un + 1 and > wn. */
enum outcome limbs_addmul_1(mp_ptr rp, size_t rn, mp_srcptr wp, size_t wn, mp_srcptr up, size_t un,
                            mp_limb_t v);

/* {rp, rn} = |{wp, wn} - {up, un} v|; sets *negative if the difference is negative. un >= 1, rn >
 * un + 1 and > wn. */
enum outcome limbs_submul_1(mp_ptr rp, size_t rn, mp_srcptr wp, size_t wn, mp_srcptr up, size_t un,
                            mp_limb_t v, bool *negative);

enum limbs_modulus { LIMBS_MULMOD_LOW, LIMBS_MULMOD_BNM1, LIMBS_MULMOD_BNP1 };

/* {rp, rn} = {up, un} * {vp, vn} modulo B^rn, B^rn - 1 or B^rn + 1, as mpn_mullo_n, mpn_mulmod_bnm1
 * and mpn_mul_fft (lib/gmp/gmp_internal.h). LIMBS_MULMOD_BNM1 with un + vn <= rn writes un + vn
 * limbs; 0 becomes B^rn - 1 unless an operand is 0. un and vn are from 1 to rn, in either order;
 * modulo B^rn, rn <= un + vn. *top is limb rn: 0, or 1 for B^rn itself modulo B^rn + 1. */
enum outcome limbs_mulmod(enum limbs_modulus modulus, mp_ptr rp, size_t rn, mp_srcptr up, size_t un,
                          mp_srcptr vp, size_t vn, mp_limb_t *top);

#endif
