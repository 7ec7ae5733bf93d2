/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What a queue has recorded is computed: on the device, or else by GMP on the host. */
#ifndef MPGPU_COMPAT_EVALUATE_H
#define MPGPU_COMPAT_EVALUATE_H

#include "compat/number/value.h"

/* All of it.  0, or an error; what is not computed then is still recorded. */
int evaluate(mpgpu_queue *q);

/* In one run: OUTCOME_DONE, or why not; then all is as it was. */
enum outcome evaluate_on_device(mpgpu_queue *q);

/* By GMP's functions, called by their names so that long ones are caught between call_open and
 * call_close. */
int evaluate_by_gmp(mpgpu_queue *q);

/* Does the next operation divide the same, for the remainder? */
static inline bool evaluate_is_pair(const struct value *x) {
    const struct value *next = x->next;
    return x->kind == NUMBER_QUOTIENT && next && next->kind == NUMBER_REST && next->u == x->u &&
           next->modulus == x->modulus;
}

#endif
