/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes one product on several devices. */
#ifndef MPGPU_PRODUCT_SHARDS_H
#define MPGPU_PRODUCT_SHARDS_H

#include <gmp.h>

#include "lib/base/outcome.h"

/* Computes {rp, un + vn} = {up, un} * {vp, vn} on several idle devices, where un >= vn >= 1 and rp
 * overlaps neither operand. Uses a further device only if that device makes the product faster.
 *
 * - OUTCOME_DONE: {rp, un + vn} is the product.
 * - OUTCOME_NONE: the product should not be shared, or a step lacked threads or a device.
 * - Other outcomes are failures: rp is undefined, and the caller must compute the product on one
 *   device. Sets *device to a device whose shard succeeded; leaves it unchanged if there is
 *   none. */
enum outcome product_in_shards(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                               size_t vn, int *device);

#endif
