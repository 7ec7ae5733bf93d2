/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products, in one launch: column by column inside one work-group, or by
 * transforms inside one for each prime. */
#ifndef MPGPU_SMALL_H
#define MPGPU_SMALL_H

#include <stdbool.h>

#include "kernels/small/small.h"
#include "lib/device/number.h"

struct small_plan {
    unsigned log_n; /* of SMALL_DIGITS digits of the transforms, or 0: column by column */
};

/* Products of one plan, in one launch: their items (kernels/small/small.h).  What each has lies in
 * `mem`, so many words behind these as its base says: multiples of 4.  The second operand lies
 * behind the first (ITEM_BEHIND). */
struct small_launch {
    gpu_mem mem;
    gpu_mem work; /* of small_work_open; none: of the context (small_prepare) */
    uint64_t report_at, r_at, u_at;
    bool is_checked; /* the report gets what the check compares; not of products column by column */
    unsigned count;
    uint64_t item[SMALL_ITEMS], base[SMALL_ITEMS];
};

/* Whether operands of un and vn words are small enough for the most capable device. */
bool small_fits(uint64_t un, uint64_t vn);

/* The plan for such operands; 0 if they are too large for this device.  Devices that are the
 * CPU take seconds to build what works by transforms: only if it is asked for. */
bool small_plan_init(struct small_plan *p, const struct gpu_caps *caps, int asked, uint64_t un,
                     uint64_t vn);

/* Products at once that the context has slots for, 1 or more. */
static inline unsigned small_slots(const struct context *s) {
    return s->small_slots ? s->small_slots : 1;
}

/* What the plan needs on the device, for each of the context's slots. */
enum gpu_status small_prepare(struct context *s, const struct small_plan *p);

/* Does a product of un and vn words fit the plan, and the plan the device? */
bool small_plan_holds(const struct small_plan *p, const struct gpu_caps *caps, uint64_t un,
                      uint64_t vn);

/* Is it one that is made without being asked for (small_plan_init)? */
bool small_plan_is_usual(const struct small_plan *p, const struct gpu_caps *caps);

/* What products in so many slots of another block are made in; context_release with
 * small_work_bytes gives it back. */
size_t small_work_bytes(unsigned slots);
enum gpu_status small_work_open(struct context *s, unsigned slots, gpu_mem *work);

/* Groups of a product; cluster: as in struct gpu_caps. */
unsigned small_groups(unsigned cluster, const struct small_plan *p);

/* The item of a product of un and vn words, a square or not. */
uint64_t small_item(const struct small_plan *p, uint64_t un, uint64_t vn, bool is_square,
                    unsigned slot, unsigned ticket);

/* r = u v, prepared for these sizes; r.words = u.words + v.words; a square if both are the
 * same words of the same buffer.  r lies apart from both. */
enum gpu_status small_mul(struct context *s, const struct small_plan *p, struct number r,
                          struct number u, struct number v);

/* 1 to SMALL_ITEMS products, each in a slot of its own. */
enum gpu_status small_launch(struct context *s, const struct small_plan *p,
                             const struct small_launch *l);

#endif
