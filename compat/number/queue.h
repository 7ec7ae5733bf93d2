/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Queues of include/mpgpu.h: operations in the order in which they were recorded, and memory on
 * the device for their results. */
#ifndef MPGPU_COMPAT_QUEUE_H
#define MPGPU_COMPAT_QUEUE_H

#include <stdbool.h>

#include "include/mpgpu.h"
#include "lib/base/outcome.h"
#include "lib/job/batch_store.h"

enum { QUEUE_SPARES = 8 };

struct mpgpu_queue {
    size_t users; /* numbers and moduli; and one until it is destroyed */
    struct value *first, *last;
    size_t count;   /* of what is recorded, */
    uint64_t words; /* and of all its results */
    int device;     /* where all that it keeps lies; SESSION_ANY before the first run */
    struct batch_store spare[QUEUE_SPARES];
};

void queue_use(mpgpu_queue *q);
void queue_leave(mpgpu_queue *q);

/* At the end; and out of it. */
void queue_append(struct value *x);
void queue_remove(struct value *x);

/* Memory on its device for so many bytes, one that was given back if it fits. */
enum outcome queue_store(mpgpu_queue *q, struct batch_store *store, size_t bytes);
void queue_give_back(mpgpu_queue *q, struct batch_store *store);

/* Is so much recorded that it is to be computed? */
bool queue_is_full(const mpgpu_queue *q);

#endif
