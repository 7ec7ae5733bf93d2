/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Queues (include/mpgpu.h): the list of recorded operations, and device memory for reuse. */
#include "compat/number/queue.h"

#include <stdlib.h>

#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "compat/number/evaluate.h"
#include "compat/number/value.h"
#include "lib/session/session.h"

/* A queue with this many operations, or 32-bit words of their results (512 MiB), is computed before
 * the next operation is recorded. */
enum { MOST_OPERATIONS = 256, MOST_WORDS = 1 << 27 };

EXPORT mpgpu_queue *mpgpu_queue_create(void) {
    mpgpu_queue *q = calloc(1, sizeof *q);
    if (q)
        *q = (mpgpu_queue){.users = 1, .device = SESSION_ANY};
    else
        batch_fail(MPGPU_NO_MEMORY);
    return q;
}

void queue_use(mpgpu_queue *q) {
    q->users++;
}

void queue_leave(mpgpu_queue *q) {
    if (--q->users > 0)
        return;
    for (size_t i = 0; i < QUEUE_SPARES; i++)
        batch_free(&q->spare[i]);
    free(q);
}

EXPORT void mpgpu_queue_destroy(mpgpu_queue *q) {
    if (q)
        queue_leave(q);
}

EXPORT int mpgpu_queue_finish(mpgpu_queue *q) {
    return q ? evaluate(q) : batch_fail(MPGPU_ARGUMENTS);
}

void queue_append(struct value *x) {
    mpgpu_queue *q = x->queue;
    x->previous = q->last;
    *(q->last ? &q->last->next : &q->first) = x;
    q->last = x;
    q->count++;
    q->words += x->words;
}

void queue_remove(struct value *x) {
    mpgpu_queue *q = x->queue;
    *(x->previous ? &x->previous->next : &q->first) = x->next;
    *(x->next ? &x->next->previous : &q->last) = x->previous;
    x->next = x->previous = NULL;
    q->count--;
    q->words -= x->words;
}

bool queue_is_full(const mpgpu_queue *q) {
    return q->count >= MOST_OPERATIONS || q->words >= MOST_WORDS;
}

/* Reuses a released block of at least `bytes` bytes and at most twice that size; otherwise
 * allocates a block. */
enum outcome queue_store(mpgpu_queue *q, struct batch_store *store, size_t bytes) {
    for (size_t i = 0; i < QUEUE_SPARES; i++)
        if (q->spare[i].bytes >= bytes && q->spare[i].bytes / 2 <= bytes &&
            q->spare[i].device == q->device) {
            *store = q->spare[i];
            q->spare[i].bytes = 0;
            return OUTCOME_DONE;
        }
    return batch_alloc(store, bytes);
}

/* Puts the block into an empty entry of q->spare; if there is none, frees the largest block and
 * replaces it. */
void queue_recycle(mpgpu_queue *q, struct batch_store *store) {
    struct batch_store *to = &q->spare[0];
    if (store->bytes == 0)
        return;
    for (size_t i = 1; i < QUEUE_SPARES && to->bytes > 0; i++)
        if (q->spare[i].bytes == 0 || q->spare[i].bytes > to->bytes)
            to = &q->spare[i];
    batch_free(to);
    *to = *store;
    store->bytes = 0;
}
