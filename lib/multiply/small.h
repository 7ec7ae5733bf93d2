/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products, in one launch: column by column inside one work-group, or by
 * transforms inside one for each prime. */
#ifndef MPGPU_SMALL_H
#define MPGPU_SMALL_H

#include <stdbool.h>

#include "lib/device/number.h"

struct small_plan {
    unsigned log_n; /* of SMALL_DIGITS digits of the transforms, or 0: column by column */
};

/* What a launch is to tell beside the product (kernels/small/small.h). */
struct small_report {
    gpu_mem mem;
    uint64_t at;     /* in words, even */
    uint64_t launch; /* its number, for a host that watches, or 0 */
    int residues;    /* those for the check; not of products column by column */
};

/* Whether operands of un and vn words are small enough for the most capable device. */
bool small_fits(uint64_t un, uint64_t vn);

/* The plan for such operands; 0 if they are too large for this device.  Devices that are the
 * CPU take seconds to build what works by transforms: only if it is asked for. */
bool small_plan_init(struct small_plan *p, const struct gpu_caps *caps, int asked, uint64_t un,
                     uint64_t vn);

/* What the plan needs on the device. */
enum gpu_status small_prepare(struct context *s, const struct small_plan *p);

/* Groups of a launch. */
unsigned small_groups(const struct context *s, const struct small_plan *p);

/* r = u v, prepared for these sizes; r.words = u.words + v.words; a square if both are the
 * same words of the same buffer.  r lies apart from both.  report may be NULL. */
enum gpu_status small_mul(struct context *s, const struct small_plan *p, struct number r,
                          struct number u, struct number v, const struct small_report *report);

#endif
