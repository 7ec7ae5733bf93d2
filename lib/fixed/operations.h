/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches of fixed-point operations (kernels/fixed/fixed.h, kernels/fixed/operations.h): one
 * operation on each pair of two arrays of numbers. */
#ifndef MPGPU_FIXED_OPERATIONS_H
#define MPGPU_FIXED_OPERATIONS_H

#include "kernels/fixed/operations.h"
#include "lib/device/context.h"

/* Arrays of `numbers` numbers of `words` words, 4, 6 or 8, one after another; the result may be an
 * operand.  v is read by every operation: one that has no second operand takes u for it.  At most
 * 2^31 numbers.  `count` is that of shifts. */
struct operations_batch {
    gpu_mem r, u, v;
    uint64_t numbers;
    unsigned words, operation;
    uint32_t count;
};

/* Put into the queue.  At first use for these words it passes a self-test, which uses SLOT_U,
 * SLOT_V and SLOT_R: the batch lies elsewhere, or operations_verify has been called before. */
enum gpu_status operations_run(struct context *s, const struct operations_batch *b);

/* The self-test, if it has not been passed: GPU_FAILED where a result differs from the host's. */
enum gpu_status operations_verify(struct context *s, unsigned words);

/* The same on the host, with the same results. */
void operations_host(uint32_t *r, const uint32_t *u, const uint32_t *v, size_t numbers,
                     unsigned words, unsigned operation, uint32_t count);

#endif
