/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products in one launch: column by column inside one work-group, or by transforms, with a
 * work-group for each prime. */
#ifndef MPGPU_SMALL_H
#define MPGPU_SMALL_H

#include <stdbool.h>

#include "kernels/small/small.h"
#include "lib/device/number.h"

struct small_plan {
    unsigned log_n; /* transforms of SMALL_DIGITS digits; 0: column by column */
};

/* Products of one plan in one launch, with their items (kernels/small/small.h). Their data are in
 * `mem`, each shifted by its `base` in words, a multiple of 4. The second operand follows the first
 * (ITEM_BEHIND). */
struct small_launch {
    gpu_mem mem;
    gpu_mem work; /* of small_work_open; none: the context's (small_prepare) */
    uint64_t report_at, r_at, u_at;
    bool is_checked; /* the report has sums for the check; not column by column */
    unsigned count;
    uint64_t item[SMALL_ITEMS], base[SMALL_ITEMS];
};

/* Returns true if operands of un and vn words are small enough for the most capable device. */
bool small_fits(uint64_t un, uint64_t vn);

/* Plans such operands; returns false if they are too large for this device. CPU devices take
 * seconds to build the transforms, so these are used there only if `asked`. */
bool small_plan_init(struct small_plan *p, const struct gpu_caps *caps, int asked, uint64_t un,
                     uint64_t vn);

/* Returns the products at once for which the context has slots, 1 or more. */
static inline unsigned small_slots(const struct context *s) {
    return s->small_slots ? s->small_slots : 1;
}

/* Allocates what the plan needs on the device, for each of the context's slots. */
enum gpu_status small_prepare(struct context *s, const struct small_plan *p);

/* Returns true if a product of un and vn words fits the plan, and the plan the device. */
bool small_plan_holds(const struct small_plan *p, const struct gpu_caps *caps, uint64_t un,
                      uint64_t vn);

/* Returns true if such a plan is used without being asked for (small_plan_init). */
bool small_plan_is_usual(const struct small_plan *p, const struct gpu_caps *caps);

/* Working memory for products in slots of another block; release it by context_release with
 * small_work_bytes. */
size_t small_work_bytes(unsigned slots);
enum gpu_status small_work_open(struct context *s, unsigned slots, gpu_mem *work);

/* Returns the groups of a product; cluster: as in struct gpu_caps. */
unsigned small_groups(unsigned cluster, const struct small_plan *p);

/* Returns the item of a product of un and vn words, a square or not. */
uint64_t small_item(const struct small_plan *p, uint64_t un, uint64_t vn, bool is_square,
                    unsigned slot, unsigned ticket);

/* r = u v, prepared for these sizes; r.words = u.words + v.words; a square if both are the same
 * words of the same buffer. r overlaps neither. */
enum gpu_status small_mul(struct context *s, const struct small_plan *p, struct number r,
                          struct number u, struct number v);

/* Launches 1 to SMALL_ITEMS products, each in a slot of its own. */
enum gpu_status small_launch(struct context *s, const struct small_plan *p,
                             const struct small_launch *l);

#endif
