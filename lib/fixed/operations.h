/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches of fixed-point operations (kernels/fixed/fixed.h, kernels/fixed/operations.h): one
 * operation on each pair of numbers from two arrays. */
#ifndef MPGPU_FIXED_OPERATIONS_H
#define MPGPU_FIXED_OPERATIONS_H

#include "kernels/fixed/operations.h"
#include "lib/device/context.h"

/* Arrays of `numbers` numbers, at most 2^31, one after the other.  Each number has `words` words:
 * 4, 6 or 8.  The result may be an operand.  Every operation reads v, so an operation with one
 * operand must get u as v, too.  `count` is the number of bits for operations that shift. */
struct operations_batch {
    gpu_mem r, u, v;
    uint64_t numbers;
    unsigned words, operation;
    uint32_t count;
};

/* Queues the batch.  At first use for numbers of this length it runs a self-test, which uses
 * SLOT_U, SLOT_V and SLOT_R.  So the batch must be in other memory, or operations_verify must be
 * called before. */
enum gpu_status operations_run(struct context *s, const struct operations_batch *b);

/* Runs the self-test, unless it has passed before.  Returns GPU_FAILED if a result differs from the
 * host's. */
enum gpu_status operations_verify(struct context *s, unsigned words);

/* Computes the batch's operation on the host, with the same results as on the device. */
void operations_host(uint32_t *r, const uint32_t *u, const uint32_t *v, size_t numbers,
                     unsigned words, unsigned operation, uint32_t count);

#endif
