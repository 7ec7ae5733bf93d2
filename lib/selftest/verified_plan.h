/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Plans whose kernels have passed their known-answer tests on this device.  Each function uses the
 * context's slots: the caller must write operands there afterwards. */
#ifndef MPGPU_VERIFIED_PLAN_H
#define MPGPU_VERIFIED_PLAN_H

#include "lib/multiply/mulmod.h"
#include "lib/multiply/product.h"

/* Plans product_mul for un >= vn >= 1 words; `without` as in lib/multiply/product.h. */
enum gpu_status verified_plan_product(struct context *s, struct product *p, uint64_t un,
                                      uint64_t vn, unsigned without);

/* Prepares small_mul by that plan, and direct_launch. */
enum gpu_status verified_plan_small(struct context *s, const struct small_plan *p);

/* Plans mulmod_mul for un >= vn >= 1 words, un <= words; m->words and m->plus must be set. */
enum gpu_status verified_plan_mulmod(struct context *s, struct mulmod *m, uint64_t un, uint64_t vn,
                                     unsigned without);

#endif
