/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes small products in one launch: column by column in one work-group, or by transforms, with
 * a work-group for each prime. */
#ifndef MPGPU_SMALL_H
#define MPGPU_SMALL_H

#include <stdbool.h>

#include "kernels/small/small.h"
#include "lib/device/number.h"

struct small_plan {
    unsigned log_n; /* transforms of SMALL_DIGITS(log_n) digits; 0: column by column */
};

/* Up to SMALL_ITEMS products that one launch computes by the same plan. Each is described by an
 * item (kernels/small/small.h). Report, result and operands of product i are at words report_at,
 * r_at and u_at of `mem`, plus base[i], a multiple of 4. The second operand is behind the first
 * (ITEM_BEHIND). */
struct small_launch {
    gpu_mem mem;
    gpu_mem work; /* buffer by small_work_open; absent: the context's buffer by small_prepare */
    uint64_t report_at, r_at, u_at;
    bool is_checked; /* the kernel reports sums for the check; not for products column by column */
    unsigned count;
    uint64_t item[SMALL_ITEMS], base[SMALL_ITEMS];
};

/* Returns true if operands of un and vn words are small enough for one launch on some device. */
bool small_fits(uint64_t un, uint64_t vn);

/* Plans a product of un and vn words. Returns false if the operands are too large for this device.
 * CPU devices need seconds to build the kernels of transforms, so they use transforms only if
 * `asked`: if the option `algorithm` is `block`. */
bool small_plan_init(struct small_plan *p, const struct gpu_caps *caps, int asked, uint64_t un,
                     uint64_t vn);

/* Returns how many small products the context can compute at once, at least 1. Each needs a
 * slot. */
static inline unsigned small_slots(const struct context *s) {
    return s->small_slots ? s->small_slots : 1;
}

/* Allocates the device memory that the plan needs, for all slots of the context. */
enum gpu_status small_prepare(struct context *s, const struct small_plan *p);

/* Returns true if the plan is possible on this device and suffices for a product of un and vn
 * words. */
bool small_plan_holds(const struct small_plan *p, const struct gpu_caps *caps, uint64_t un,
                      uint64_t vn);

/* Returns true if small_plan_init can choose *p although `asked` is false. */
bool small_plan_is_usual(const struct small_plan *p, const struct gpu_caps *caps);

/* small_work_open allocates a buffer for intermediate results of products in `slots` slots;
 * small_work_bytes returns its size. The caller frees the buffer by context_release. */
size_t small_work_bytes(unsigned slots);
enum gpu_status small_work_open(struct context *s, unsigned slots, gpu_mem *work);

/* Returns the count of work-groups of one product. `cluster` is that of struct gpu_caps. */
unsigned small_groups(unsigned cluster, const struct small_plan *p);

/* Returns the description of a product of un and vn words for the kernel
 * (kernels/small/small.h). */
uint64_t small_item(const struct small_plan *p, uint64_t un, uint64_t vn, bool is_square,
                    unsigned slot, unsigned ticket);

/* Queues r = u v, after small_prepare for a plan of these sizes. r.words = u.words + v.words; r
 * overlaps no operand. Computes a square if u and v are the same words of the same buffer. */
enum gpu_status small_mul(struct context *s, const struct small_plan *p, struct number r,
                          struct number u, struct number v);

/* Launches l->count products, 1 to SMALL_ITEMS. Each must have its own slot. */
enum gpu_status small_launch(struct context *s, const struct small_plan *p,
                             const struct small_launch *l);

#endif
