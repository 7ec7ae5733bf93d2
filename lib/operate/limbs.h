/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The device's operations on limbs, verified as the option `verify` asks.  Each
 * returns OUTCOME_DONE, or why it was not done: the result is then undefined, and
 * the operands are intact. */
#ifndef MPGPU_LIMBS_H
#define MPGPU_LIMBS_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/base/outcome.h"
#include "lib/operate/operate.h"
#include "lib/operate/verify.h"

/* {rp, un+vn} = {up, un} * {vp, vn}; un, vn >= 1 in either order; rp overlaps
 * neither. A square where the pointers and the sizes are the same. */
enum outcome limbs_mul(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

/* The same for several products at once (operate_mul_several), or where the device cannot, one by
 * one.  What is not OUTCOME_DONE leaves all results undefined. */
enum outcome limbs_mul_several(const struct operate_factors *f, unsigned count);

/* {rp, un+1} = {up, un} + {vp, vn}; un >= vn >= 1; rp overlaps neither. */
enum outcome limbs_add(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

/* {rp, un} = {up, un} - {vp, vn}, which must not be negative; else the same. */
enum outcome limbs_sub(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

/* {rp, un+1} = {up, un} v; un >= 1; rp does not overlap it. */
enum outcome limbs_mul_1(mp_ptr rp, mp_srcptr up, size_t un, mp_limb_t v);

/* {rp, rn} = {wp, wn} + {up, un} v; un, wn >= 1, rn > un + 1 and > wn; rp overlaps neither. */
enum outcome limbs_addmul_1(mp_ptr rp, size_t rn, mp_srcptr wp, size_t wn, mp_srcptr up, size_t un,
                            mp_limb_t v);

/* {rp, rn} = |{wp, wn} - {up, un} v|, and whether that is negative; as above. */
enum outcome limbs_submul_1(mp_ptr rp, size_t rn, mp_srcptr wp, size_t wn, mp_srcptr up, size_t un,
                            mp_limb_t v, bool *negative);

/* What a check's outcome makes of a result that the device has delivered: a wrong one is
 * a fault, and told in the log. `what` of un and vn limbs it is. */
enum outcome limbs_judge(enum verify_result result, const char *what, size_t un, size_t vn);

#endif
