/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Queues of include/mpgpu.h. A queue has recorded operations, in their order, and device memory for
 * their results. */
#ifndef MPGPU_COMPAT_QUEUE_H
#define MPGPU_COMPAT_QUEUE_H

#include <stdbool.h>

#include "include/mpgpu.h"
#include "lib/base/outcome.h"
#include "lib/job/batch_store.h"

enum { QUEUE_SPARES = 8 };

struct mpgpu_queue {
    /* The number of objects that use the queue: its numbers and moduli, and the program until it
     * destroys the queue. */
    size_t users;
    struct value *first, *last;
    size_t count;   /* the number of recorded operations */
    uint64_t words; /* number of words of the results of all recorded operations */
    /* the device that stores the queue's values; SESSION_ANY before the first run */
    int device;
    struct batch_store spare[QUEUE_SPARES];
};

void queue_use(mpgpu_queue *q);
void queue_leave(mpgpu_queue *q);

/* queue_append adds x to the end of its queue, queue_remove removes x from its queue. */
void queue_append(struct value *x);
void queue_remove(struct value *x);

/* queue_store reserves `bytes` bytes on the queue's device, from released memory if a block fits.
 * queue_recycle returns memory to the queue for reuse. */
enum outcome queue_store(mpgpu_queue *q, struct batch_store *store, size_t bytes);
void queue_recycle(mpgpu_queue *q, struct batch_store *store);

/* Returns true if the queue is full, so that its operations must be computed before another is
 * recorded. */
bool queue_is_full(const mpgpu_queue *q);

#endif
