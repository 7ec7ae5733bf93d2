/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches the kernels for quotients of batches, without a check. */
#ifndef MPGPU_EUCLID_DIVIDE_H
#define MPGPU_EUCLID_DIVIDE_H

#include "lib/modular/euclid_plan.h"

/* A part of a EUCLID_DIVIDE operation: numbers p->first to p->first + p->count - 1. The buffers of
 * u, q and r begin with number 0 of the operation. In the buffer of divisors, number 0 begins at
 * word d_at. */
struct euclid_part {
    const struct euclid_operation *op;
    uint64_t d_at, first, count;
};
enum gpu_status euclid_divide(struct context *s, const struct euclid_part *p);

#endif
