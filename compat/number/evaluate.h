/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the recorded operations of a queue (compat/number/queue.h), on the device or by GMP. */
#ifndef MPGPU_COMPAT_EVALUATE_H
#define MPGPU_COMPAT_EVALUATE_H

#include "compat/number/value.h"

/* Computes all operations of the queue. Returns 0 or an error; operations that were not computed
 * remain recorded. */
int evaluate(mpgpu_queue *q);

/* Computes all operations of the queue in one run on the device. Returns OUTCOME_DONE, or why it
 * failed; after a failure no value has changed. */
enum outcome evaluate_on_device(mpgpu_queue *q);

/* Computes all operations of the queue with GMP's functions. Calls them by their public names, so
 * that they are intercepted between call_open and call_close. */
int evaluate_by_gmp(mpgpu_queue *q);

/* Returns true if x is a quotient and the next operation is the remainder of the same division, so
 * that one division can compute both. */
static inline bool evaluate_is_pair(const struct value *x) {
    const struct value *next = x->next;
    return x->kind == NUMBER_QUOTIENT && next && next->kind == NUMBER_REST && next->u == x->u &&
           next->modulus == x->modulus;
}

#endif
