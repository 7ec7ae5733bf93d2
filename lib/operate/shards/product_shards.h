/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes one product on several devices. */
#ifndef MPGPU_PRODUCT_SHARDS_H
#define MPGPU_PRODUCT_SHARDS_H

#include <gmp.h>

#include "lib/base/outcome.h"

/* Computes {rp, un + vn} = {up, un} * {vp, vn} on several idle devices, where un >= vn >= 1 and rp
 * overlaps neither operand. Uses a further device only if it makes the product faster. Returns
 * OUTCOME_DONE. On failure rp is undefined, the caller must use one device, and *device is a device
 * whose shard succeeded, or SESSION_ANY. Returns OUTCOME_NONE immediately if the product should not
 * be shared. */
enum outcome product_in_shards(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                               size_t vn, int *device);

#endif
