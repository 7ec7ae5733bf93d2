/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes one product on several devices. */
#ifndef MPGPU_PRODUCT_SHARES_H
#define MPGPU_PRODUCT_SHARES_H

#include <gmp.h>

#include "lib/base/outcome.h"

/* {rp, un + vn} = {up, un} * {vp, vn}; un >= vn >= 1; rp overlaps neither. Uses idle devices while
 * each further one pays. Returns OUTCOME_DONE. Otherwise rp is undefined, one device must compute
 * the product, and *device is a device whose share succeeded, or SESSION_ANY. Returns OUTCOME_NONE
 * at once if the product is not shared. */
enum outcome product_in_shares(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                               size_t vn, int *device);

#endif
