/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products inside a composite operation: a division, power, root, conversion or other operation
 * built from products. The device computes the products at which it is faster. GMP computes the
 * others, and those at which the device fails. */
#ifndef MPGPU_COMPOSITE_H
#define MPGPU_COMPOSITE_H

#include <gmp.h>
#include <stddef.h>

#include "lib/base/min.h"
#include "lib/base/outcome.h"
#include "lib/base/thresholds.h"
#include "lib/gmp/normalize.h"
#include "lib/job/limbs.h"

struct composite {
    int sent;            /* products that the device has computed */
    int busy;            /* products that GMP computed because the device was busy */
    enum outcome failed; /* why the device last failed at a product; 0 if it never did */
};

/* {rp, un+vn} = {up, un} * {vp, vn}, for un, vn >= 1 in either order; rp overlaps neither. The
 * product is a square if the pointers and the sizes are equal. */
void composite_mul(struct composite *w, mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp,
                   size_t vn);

/* Computes several independent products, at most LIMBS_SEVERAL. The device computes small ones in
 * one call. Inside thread_team_run (lib/process/thread_team.h) several threads compute them on the
 * host; the longest product should then be the first. */
void composite_mul_several(struct composite *w, struct limbs_factors *f, unsigned count);

/* {rp, un+vn} = {up, un} * {vp, vn}, by GMP alone. */
void composite_real_mul(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

/* Counts in *w the outcome of a product above the device's threshold, or of an operation that the
 * device computes as one job. */
void composite_count(struct composite *w, enum outcome outcome);

/* r = x * y, for a number r whose limbs the library allocated; r may be x or y. */
void composite_mpz_mul(struct composite *w, mpz_ptr r, mpz_srcptr x, mpz_srcptr y);

/* Returns the number of bits of |x|; 0 for x = 0. */
static inline size_t composite_mpz_bits(mpz_srcptr x) {
    return normalize_bits(x->_mp_d, mpz_size(x));
}

/* Makes room for n limbs in x and keeps its value; the library must have allocated x's limbs.
 * Returns a pointer to the limbs. */
mp_ptr composite_mpz_grow(mpz_ptr x, size_t n);

#endif
