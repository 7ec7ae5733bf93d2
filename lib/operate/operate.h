/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on limbs in host memory, done on the device. */
#ifndef MPGPU_OPERATE_H
#define MPGPU_OPERATE_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/base/outcome.h"

/* {rp, un+vn} = {up, un} * {vp, vn}; un >= vn >= 1 (lib/operate/operate_cut.c).  A square where up
 * == vp and un == vn.  rp must not overlap the operands (they stay intact if the call fails).
 * Returns OUTCOME_DONE, or why it was not done; rp is then undefined. */
enum outcome operate_mul(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn);

/* {rp, un+vn} = {up, un} * {vp, vn}; un, vn >= 1 in either order; rp overlaps no operand. */
struct operate_factors {
    mp_limb_t *rp;
    const mp_limb_t *up;
    size_t un;
    const mp_limb_t *vp;
    size_t vn;
};

/* So many at most go together. */
enum { OPERATE_SEVERAL = 12 };

/* Is a device open that makes such a product as one of several?  It is not asked. */
bool operate_is_small(const struct operate_factors *f);

/* Several small products at once, OPERATE_SEVERAL at most: in one launch or two.  True: *outcome is
 * OUTCOME_DONE, or why not all were done.  False: the device makes each by itself. */
bool operate_mul_several(const struct operate_factors *f, unsigned count, enum outcome *outcome);

/* {rp, un+vn} = {up, un} * {vp, vn} + {rp, old}, old <= un + vn, the carry in *cy.  Where
 * memory does not suffice (OUTCOME_MEMORY) rp still holds what it did; may_be_cut asks for that
 * also where there is so little that products of parts of the operands would be sooner. */
enum outcome operate_addmul(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                            size_t vn, size_t old, int may_be_cut, mp_limb_t *cy);

/* The low rn limbs of that product, 1 <= rn <= un + vn. */
enum outcome operate_mullo(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un,
                           const mp_limb_t *vp, size_t vn);

/* {rp, rn} = {up, un} * {vp, vn} modulo B^rn - 1, B = 2^64; rn >= un >= vn >= 1 and
 * un + vn > rn.  In 1 .. B^rn - 1, unless an operand is zero: then 0.  A square as
 * above; rp must not overlap the operands. */
enum outcome operate_mulmod_bnm1(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un,
                                 const mp_limb_t *vp, size_t vn);

/* The rn >= least for which operate_mulmod_bnm1 takes less for operands of un and vn limbs than
 * operate_mul, un + vn > rn; 0 if there is none.  No device is asked. */
size_t operate_bnm1_size(size_t least, size_t un, size_t vn);

/* The same product modulo B^rn + 1, for any rn >= un >= vn >= 1.  Canonical: 0 .. B^rn, *top (0
 * or 1) being limb rn, which is 1 only if {rp, rn} is zero. */
enum outcome operate_mulmod_bnp1(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un,
                                 const mp_limb_t *vp, size_t vn, mp_limb_t *top);

/* {rp, un} = {up, un} + {vp, vn}, un >= vn >= 1, carry out in *cy; rp must not
 * overlap the operands. */
enum outcome operate_add(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn, mp_limb_t *cy);

/* {rp, un} = {up, un} - {vp, vn}, un >= vn >= 1, the borrow in *cy. */
enum outcome operate_sub(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn, mp_limb_t *cy);

/* {rp, rn} = {wp, wn} + {up, un} v, or {wp, wn} - {up, un} v if subtract: that is modulo B^rn,
 * all ones in its highest limb where it is negative.  un >= 1; rn > un, and where wn > 0, rn >
 * un + 1 and rn > wn; rp must not overlap the operands. */
enum outcome operate_mul_1(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un, mp_limb_t v,
                           const mp_limb_t *wp, size_t wn, int subtract);

#endif
