/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes all operations recorded in a queue: chooses between the device and GMP, and counts the
 * computation in the statistics. */
#include "compat/number/evaluate.h"

#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "lib/base/conf.h"

/* Returns the number of limbs of the longest result in the queue. */
static size_t size_of(const mpgpu_queue *q) {
    uint64_t words = 0;
    for (const struct value *x = q->first; x; x = x->next)
        words = x->words > words ? x->words : words;
    return words / 2;
}

/* Computes the operations one after another with intercepted calls of GMP's functions. Used if the
 * device cannot compute the whole queue, or if each result must be verified. */
static int one_by_one(mpgpu_queue *q, struct call *call) {
    call_open();
    int error = evaluate_by_gmp(q);
    call_close(call);
    return error;
}

int evaluate(mpgpu_queue *q) {
    struct call call;
    if (!q->first)
        return 0;
    if (!call_begin(&call, ROW_mpgpu_number, size_of(q), &thresholds.powm, q->words / 2))
        return call_init() ? evaluate_by_gmp(q) : batch_fail_init();
    bool is_checked_there = mpgpu_conf.verify < VERIFY_RESIDUE;
    enum outcome outcome = is_checked_there ? evaluate_on_device(q) : OUTCOME_SIZE;
    int error = 0;
    if (outcome == OUTCOME_SIZE || outcome == OUTCOME_MEMORY)
        error = one_by_one(q, &call);
    else if (outcome != OUTCOME_DONE)
        error = evaluate_by_gmp(q);
    call_end(&call, outcome);
    return error;
}
