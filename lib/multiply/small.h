/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes small products in one launch: column by column in one work-group, or by transforms in
 * work-groups for each prime. */
#ifndef MPGPU_SMALL_H
#define MPGPU_SMALL_H

#include <stdbool.h>

#include "kernels/small/small.h"
#include "lib/device/number.h"

struct small_plan {
    /* transforms have SMALL_DIGITS(log_n) digits; 0: the product is computed column by column,
     * without transforms */
    unsigned log_n;
};

/* Up to SMALL_ITEMS products that one launch computes by the same plan. item[i] describes product i
 * (kernels/small/small.h). Its report, result and operands begin at words report_at, r_at and u_at
 * of `mem`, plus base[i], a multiple of 4. The second operand follows the first (ITEM_BEHIND). */
struct small_launch {
    gpu_mem mem;
    /* buffer from small_work_open; if absent, the context's buffer from small_prepare */
    gpu_mem work;
    uint64_t report_at, r_at, u_at;
    /* the kernel reports sums for the check; must be false for products column by column */
    bool is_checked;
    unsigned count;
    uint64_t item[SMALL_ITEMS], base[SMALL_ITEMS];
};

/* Returns true if operands of un and vn words are small enough for one launch on some device. */
bool small_fits(uint64_t un, uint64_t vn);

/* Plans a product of un and vn words. Returns false if the operands are too large for this device.
 * `asked`: the option `algorithm` is `block`. A CPU device uses transforms only if `asked`, because
 * it needs seconds to build their kernels. */
bool small_plan_init(struct small_plan *p, const struct gpu_caps *caps, int asked, uint64_t un,
                     uint64_t vn);

/* Returns how many small products the context can compute at once, at least 1. Each occupies a
 * slot. */
static inline unsigned small_slots(const struct context *s) {
    return s->small_slots ? s->small_slots : 1;
}

/* Allocates the device memory that the plan needs, for all slots of the context. */
enum gpu_status small_prepare(struct context *s, const struct small_plan *p);

/* Returns true if this device can run the plan, and the plan suffices for a product of un and vn
 * words. */
bool small_plan_holds(const struct small_plan *p, const struct gpu_caps *caps, uint64_t un,
                      uint64_t vn);

/* Returns true if small_plan_init also chooses plans like *p when `asked` is false. */
bool small_plan_is_usual(const struct small_plan *p, const struct gpu_caps *caps);

/* small_work_open allocates a buffer for the intermediate results of products in `slots` slots;
 * small_work_bytes returns its size in bytes. The caller frees the buffer by context_release. */
size_t small_work_bytes(unsigned slots);
enum gpu_status small_work_open(struct context *s, unsigned slots, gpu_mem *work);

/* Returns the number of work-groups that compute one product. Pass the member `cluster` of struct
 * gpu_caps. */
unsigned small_groups(unsigned cluster, const struct small_plan *p);

/* Returns the description of a product of un and vn words for the kernel
 * (kernels/small/small.h). */
uint64_t small_item(const struct small_plan *p, uint64_t un, uint64_t vn, bool is_square,
                    unsigned slot, unsigned ticket);

/* Queues r = u v. Call small_prepare first, for a plan of these sizes. r.words = u.words + v.words;
 * r overlaps no operand. Computes a square if u and v are the same words of the same buffer. */
enum gpu_status small_mul(struct context *s, const struct small_plan *p, struct number r,
                          struct number u, struct number v);

/* Launches l->count products, 1 to SMALL_ITEMS. Each must have its own slot. */
enum gpu_status small_launch(struct context *s, const struct small_plan *p,
                             const struct small_launch *l);

#endif
