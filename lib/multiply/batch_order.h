/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Comparing and selecting the numbers of batches on the device. */
#ifndef MPGPU_BATCH_ORDER_H
#define MPGPU_BATCH_ORDER_H

#include "kernels/batch/batch.h"
#include "lib/device/context.h"

/* `count` numbers of `words` words, even. BATCH_COMPARE: number i of r, one limb, is 0 if the
 * numbers of u and v are equal, 1 if u's is greater, otherwise all ones. BATCH_SELECT: number i of
 * r is u's if number i of c, one limb, is not 0, otherwise v's. r overlaps no operand. */
struct batch_order {
    enum batch_order_kind { BATCH_COMPARE, BATCH_SELECT } kind;
    uint64_t count;
    uint32_t words;
    gpu_mem r, c, u, v;
};

/* Queues the operation, without a check. */
enum gpu_status batch_order_compute(struct context *s, const struct batch_order *op);

/* Computes after known-answer tests (lib/selftest/selftest.h), checks as `verify` says, and waits.
 * Returns GPU_FAILED if a number is wrong. */
enum gpu_status batch_order_operate(struct context *s, const struct batch_order *op);

/* Checks the content of r only. Returns GPU_OK or GPU_FAILED. */
enum gpu_status batch_order_check(struct context *s, const struct batch_order *op);

#endif
