/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the recorded operations of a queue, on the device, otherwise by GMP on the host. */
#ifndef MPGPU_COMPAT_EVALUATE_H
#define MPGPU_COMPAT_EVALUATE_H

#include "compat/number/value.h"

/* Computes all of them.  Returns 0 or an error; operations that were not computed remain
 * recorded. */
int evaluate(mpgpu_queue *q);

/* Computes all in one run.  Returns OUTCOME_DONE, or why not: then nothing has changed. */
enum outcome evaluate_on_device(mpgpu_queue *q);

/* Computes all by GMP's functions.  They are called by name, so that long calls are intercepted
 * between call_open and call_close. */
int evaluate_by_gmp(mpgpu_queue *q);

/* Returns true if the next operation is the remainder of this quotient's division. */
static inline bool evaluate_is_pair(const struct value *x) {
    const struct value *next = x->next;
    return x->kind == NUMBER_QUOTIENT && next && next->kind == NUMBER_REST && next->u == x->u &&
           next->modulus == x->modulus;
}

#endif
