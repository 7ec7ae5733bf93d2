/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches on the device, compared and selected number by number. */
#ifndef MPGPU_BATCH_ORDER_H
#define MPGPU_BATCH_ORDER_H

#include "kernels/batch/batch.h"
#include "lib/device/context.h"

/* `count` numbers of `words` words, even.  BATCH_COMPARE: number i of r, of one limb, is 0 where
 * those of u and v are equal, 1 where u's is greater, else all ones.  BATCH_SELECT: number i of r
 * is that of u where number i of c, of one limb, is not 0, else that of v.  r lies apart. */
struct batch_order {
    enum batch_order_kind { BATCH_COMPARE, BATCH_SELECT } kind;
    uint64_t count;
    uint32_t words;
    gpu_mem r, c, u, v;
};

/* Into the queue, unchecked. */
enum gpu_status batch_order_compute(struct context *s, const struct batch_order *op);

/* The same to its end, checked as `verify` says, after lib/selftest/selftest.h's known
 * answers: GPU_FAILED where a number is wrong. */
enum gpu_status batch_order_operate(struct context *s, const struct batch_order *op);

/* The check alone, of what r holds: GPU_OK, or GPU_FAILED. */
enum gpu_status batch_order_check(struct context *s, const struct batch_order *op);

#endif
