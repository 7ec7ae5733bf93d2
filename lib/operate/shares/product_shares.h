/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One product by several devices. */
#ifndef MPGPU_PRODUCT_SHARES_H
#define MPGPU_PRODUCT_SHARES_H

#include <gmp.h>

#include "lib/base/outcome.h"

/* {rp, un + vn} = {up, un} * {vp, vn}; un >= vn >= 1; rp overlaps neither.  By as many devices as
 * pay and have nothing else to do.  OUTCOME_DONE; or rp is undefined, and *device is one that has
 * done its share, or SESSION_ANY: then the product is one device's, as OUTCOME_NONE says at once
 * where devices do not share it. */
enum outcome product_in_shares(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                               size_t vn, int *device);

#endif
