/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Quotients of batches: launches, unchecked. */
#ifndef MPGPU_EUCLID_DIVIDE_H
#define MPGPU_EUCLID_DIVIDE_H

#include "lib/modular/euclid_plan.h"

/* Numbers p->first to p->first + p->count - 1 of a EUCLID_DIVIDE.  n, q and r begin at the first of
 * them, d at word d_at.  p->extra has euclid_divide_words for each number. */
struct euclid_part {
    const struct euclid_operation *op;
    uint64_t d_at, first, count;
    gpu_mem extra;
};
enum gpu_status euclid_divide(struct context *s, const struct euclid_part *p);

/* Returns the words of memory for each number besides the operands, if there is a quotient. */
uint32_t euclid_divide_words(const struct euclid_operation *op);

#endif
