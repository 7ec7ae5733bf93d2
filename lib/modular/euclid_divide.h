/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches the kernels for quotients of batches, without a check. */
#ifndef MPGPU_EUCLID_DIVIDE_H
#define MPGPU_EUCLID_DIVIDE_H

#include "lib/modular/euclid_plan.h"

/* Numbers p->first to p->first + p->count - 1 of a EUCLID_DIVIDE. For the first of these, the
 * numbers u, q and r begin at their buffers' first word, and the divisor at word d_at. p->extra has
 * euclid_divide_words words for each number. */
struct euclid_part {
    const struct euclid_operation *op;
    uint64_t d_at, first, count;
    gpu_mem extra;
};
enum gpu_status euclid_divide(struct context *s, const struct euclid_part *p);

/* Returns the words of memory that each number needs for quotient digits, without operands and
 * results. The memory is needed only if there is a quotient. */
uint32_t euclid_divide_words(const struct euclid_operation *op);

#endif
