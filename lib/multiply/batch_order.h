/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares and selects numbers of batches (many numbers of one length) on the device. */
#ifndef MPGPU_BATCH_ORDER_H
#define MPGPU_BATCH_ORDER_H

#include "kernels/batch/batch.h"
#include "lib/device/context.h"

/* An operation on `count` numbers of `words` words each; `words` is even. r overlaps no operand.
 *
 * - BATCH_COMPARE: limb i of r is 0 if numbers i of u and v are equal, and 1 if u's number is
 *   greater. Otherwise the limb has all bits set.
 * - BATCH_SELECT: number i of r is number i of u if limb i of c is not 0, otherwise number i of v.
 */
struct batch_order {
    enum batch_order_kind { BATCH_COMPARE, BATCH_SELECT } kind;
    uint64_t count;
    uint32_t words;
    gpu_mem r, c, u, v;
};

/* Queues the launches of an operation, without a check. */
enum gpu_status batch_order_compute(struct context *s, const struct batch_order *op);

/* Computes an operation, checks it if `verify` is `device`, and waits for the device. Returns
 * GPU_FAILED if the check finds a wrong number. The caller must have tested the kernels with known
 * answers (lib/selftest/selftest.h). */
enum gpu_status batch_order_operate(struct context *s, const struct batch_order *op);

/* Checks whether r is the right result of the operation, without testing the kernels. Waits, and
 * returns GPU_OK if it is. */
enum gpu_status batch_order_check(struct context *s, const struct batch_order *op);

#endif
