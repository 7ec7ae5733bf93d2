/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory for batches on the device, and operations on them.  Each returns
 * OUTCOME_DONE, or why it was not done. */
#ifndef MPGPU_BATCH_RUN_H
#define MPGPU_BATCH_RUN_H

#include <gmp.h>

#include "lib/expression/expression.h"
#include "lib/multiply/batch_order.h"

/* Memory on device number `device` (lib/session/session.h); none where bytes is 0. */
struct batch_store {
    gpu_mem mem;
    size_t bytes;
    int device;
};

/* Room for so many bytes, on the device that the thread is bound to or where there is most; from
 * `from`, or zeros where that is NULL. */
enum outcome batch_alloc(struct batch_store *store, size_t bytes);
enum outcome batch_fill(const struct batch_store *store, const void *from);

/* All of it to the host, and its release: as long as the device answers. */
enum outcome batch_fetch(void *to, const struct batch_store *store);
void batch_free(struct batch_store *store);

/* The same for `bytes` of it from byte `at` on. */
enum outcome batch_fill_part(const struct batch_store *store, size_t at, const void *from,
                             size_t bytes);
enum outcome batch_fetch_part(void *to, const struct batch_store *store, size_t at, size_t bytes);

/* The operation, on the device that the thread is bound to where its numbers lie, checked
 * (lib/multiply/batch.h); afterwards r and carries hold what is right, or
 * anything where it was not done. */
enum outcome batch_run(const struct batch_operation *op);
enum outcome batch_run_order(const struct batch_order *op);

/* A product of numbers in host memory: number i of {rp, count 2 n}, or of {rp, count n} for the low
 * half, is that of {up, count n} times that of {vp, count n}, which is up for squares. */
struct batch_limbs {
    mp_limb_t *rp;
    const mp_limb_t *up, *vp;
    size_t n, count;
    int low;
};
enum outcome batch_run_limbs(const struct batch_limbs *b);

/* The results of an expression, checked (lib/expression/expression.h); OUTCOME_SIZE where the
 * device does not do such lengths, or has no memory for all the nodes. */
enum outcome batch_run_expression(const struct expression_operation *op);

#endif
