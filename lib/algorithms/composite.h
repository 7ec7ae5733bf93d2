/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products inside a composite operation: a division, power, root, conversion or the like, built
 * from products.  Each product is computed by the device where that is sooner, and by GMP elsewhere
 * and where the device fails: so a composite operation, once begun, ends with its result. */
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
    int busy;            /* that GMP has, since the device was busy */
    enum outcome failed; /* why the device has not done the last that it failed at, if not 0 */
};

/* {rp, un+vn} = {up, un} * {vp, vn}; un, vn >= 1 in either order; rp overlaps
 * neither. A square where the pointers and the sizes are the same. */
void composite_mul(struct composite *w, mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp,
                   size_t vn);

/* Several such products, LIMBS_SEVERAL at most: small ones go to the device together, from sizes
 * on where one by itself does not pay. */
void composite_mul_several(struct composite *w, const struct limbs_factors *f, unsigned count);

/* The same by GMP alone. */
void composite_real_mul(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

/* What became of a product above its threshold, or of an operation on the device as a whole. */
void composite_count(struct composite *w, enum outcome outcome);

/* r = x * y; r, a number of the library's own, may be either. */
void composite_mpz_mul(struct composite *w, mpz_ptr r, mpz_srcptr x, mpz_srcptr y);

/* The bits of |x|; 0 for 0. */
static inline size_t composite_mpz_bits(mpz_srcptr x) {
    return normalize_bits(x->_mp_d, mpz_size(x));
}

/* Makes room for n limbs in x, a number of the library's own, which keeps its value. */
mp_ptr composite_mpz_grow(mpz_ptr x, size_t n);

#endif
