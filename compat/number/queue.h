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
    size_t count;   /* of recorded operations, */
    uint64_t words; /* and of all its results */
    int device;     /* that stores its values; SESSION_ANY before the first run */
    struct batch_store spare[QUEUE_SPARES];
};

void queue_use(mpgpu_queue *q);
void queue_leave(mpgpu_queue *q);

/* Append x to its queue; remove x from its queue. */
void queue_append(struct value *x);
void queue_remove(struct value *x);

/* queue_store reserves `bytes` bytes on the queue's device, and reuses a released store if it fits.
 * queue_give_back releases a store to the queue. */
enum outcome queue_store(mpgpu_queue *q, struct batch_store *store, size_t bytes);
void queue_give_back(mpgpu_queue *q, struct batch_store *store);

/* Returns true if so much is recorded that the queue must be computed. */
bool queue_is_full(const mpgpu_queue *q);

#endif
