/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Plans products whose kernels have passed their known-answer tests on this device. Each function
 * overwrites buffers of the context, so the caller must write operands there afterwards. */
#ifndef MPGPU_VERIFIED_PLAN_H
#define MPGPU_VERIFIED_PLAN_H

#include "lib/multiply/mulmod.h"
#include "lib/multiply/product.h"

/* Plans product_mul for operands of un and vn words, un >= vn >= 1, and tests the kernels.
 * `without` is a bit mask of algorithms that must not be used (lib/multiply/product.h). */
enum gpu_status verified_plan_product(struct context *s, struct product *p, uint64_t un,
                                      uint64_t vn, unsigned without);

/* Prepares small_mul and direct_launch for this plan, and tests the plan's kernels. */
enum gpu_status verified_plan_small(struct context *s, const struct small_plan *p);

/* Plans mulmod_mul for operands of un and vn words, vn <= un <= words, and tests the kernels. The
 * caller must have set m->words and m->plus. */
enum gpu_status verified_plan_mulmod(struct context *s, struct mulmod *m, uint64_t un, uint64_t vn,
                                     unsigned without);

#endif
