/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products inside a composite operation: a division, power, root, conversion or the like, built
 * from products.  Each product is computed by the device where that is sooner, and by GMP elsewhere
 * and where the device fails: so a composite operation, once begun, ends with its result. */
#ifndef MPGPU_COMPOSITE_H
#define MPGPU_COMPOSITE_H

#include <gmp.h>
#include <stddef.h>

#include "lib/base/min.h"
#include "lib/base/thresholds.h"

struct composite {
    int sent; /* products that the device has computed */
};

/* {rp, un+vn} = {up, un} * {vp, vn}; un, vn >= 1 in either order; rp overlaps
 * neither. A square where the pointers and the sizes are the same. */
void composite_mul(struct composite *w, mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp,
                   size_t vn);

/* The same by GMP alone. */
void composite_real_mul(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn);

#endif
