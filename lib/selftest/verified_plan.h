/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Plans whose kernels have given known answers on this device.  Each uses the context's slots, so
 * it comes before the operands do. */
#ifndef MPGPU_VERIFIED_PLAN_H
#define MPGPU_VERIFIED_PLAN_H

#include "lib/multiply/mulmod.h"
#include "lib/multiply/product.h"

/* For product_mul of un >= vn >= 1 words; `without` as in lib/multiply/product.h. */
enum gpu_status verified_plan_product(struct context *s, struct product *p, uint64_t un,
                                      uint64_t vn, unsigned without);

/* For small_mul by that plan, and direct_launch. */
enum gpu_status verified_plan_small(struct context *s, const struct small_plan *p);

/* For mulmod_mul of un >= vn >= 1 words, un <= words; m->words and m->plus are set. */
enum gpu_status verified_plan_mulmod(struct context *s, struct mulmod *m, uint64_t un, uint64_t vn,
                                     unsigned without);

#endif
