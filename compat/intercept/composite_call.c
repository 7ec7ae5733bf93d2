/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Begins and ends intercepted calls of composite operations, such as divisions, which consist of
 * products. */
#include "compat/intercept/composite_call.h"

#include <errno.h>

#include "lib/gmp/result.h"

/* Prepares for GMP to compute the call. GMP's own calls inside it are intercepted, unless the call
 * is meant to measure GMP's time. */
static void leave_to_gmp(struct composite_call *c, enum outcome outcome) {
    c->outcome = outcome;
    c->state = COMPOSITE_BY_GMP;
    if (outcome != OUTCOME_SAMPLE)
        call_open();
    errno = c->call.saved_errno;
}

bool composite_call_begin(struct composite_call *c, enum call_row row, size_t size,
                          const _Atomic size_t *threshold, size_t limbs) {
    c->state = COMPOSITE_NOT_OURS;
    c->composite = (struct composite){0};
    if (!call_begin(&c->call, row, size, threshold, limbs))
        return false;
    enum outcome outcome = call_dispatch_composite(&c->call, size, threshold);
    if (outcome == OUTCOME_DONE)
        outcome = session_ready();
    c->state = COMPOSITE_OURS;
    if (outcome == OUTCOME_DONE)
        memory_scratch_begin(&c->scratch);
    else
        leave_to_gmp(c, outcome);
    return outcome == OUTCOME_DONE;
}

/* Returns OUTCOME_DONE if the device computed any product of the operation. Otherwise returns why
 * not: a failure if there was one, otherwise a busy device, otherwise small products. */
static enum outcome outcome_of(const struct composite_call *c) {
    const struct composite *w = &c->composite;
    return w->sent ? OUTCOME_DONE : w->failed ? w->failed : w->busy ? OUTCOME_BUSY : OUTCOME_SMALL;
}

bool composite_call_did(struct composite_call *c, bool done) {
    memory_scratch_end(&c->scratch);
    if (!done) {
        dispatch_end(&c->call.dispatch,
                     /* OUTCOME_FAILED discards the time measured for GMP, because it includes the
                      * device's. */
                     OUTCOME_FAILED);
        leave_to_gmp(c, outcome_of(c));
    }
    return done;
}

struct call *composite_call_to_gmp(struct composite_call *c) {
    return c->state == COMPOSITE_BY_GMP ? &c->call : NULL;
}

/* Ends a call that GMP computed. Preserves the errno that GMP set; call_end alone would restore the
 * errno before the call. */
static void end_of_gmp(struct composite_call *c) {
    int error = errno;
    call_close(&c->call);
    call_end(&c->call, c->outcome);
    errno = error;
}

void composite_call_end(struct composite_call *c) {
    if (c->state == COMPOSITE_OURS)
        call_end(&c->call, outcome_of(c));
    else if (c->state == COMPOSITE_BY_GMP)
        end_of_gmp(c);
}

void composite_results_open(struct composite_results *r) {
    for (int i = 0; i < COMPOSITE_RESULTS; i++) {
        r->at[i] = r->to[i] ? r->own[i] : NULL;
        if (r->at[i])
            mpz_init(r->at[i]);
    }
}

void composite_results_drop(struct composite_results *r, int i) {
    mpz_clear(r->at[i]);
    r->at[i] = NULL;
}

bool composite_results_close(struct composite_results *r, bool done) {
    for (int i = 0; i < COMPOSITE_RESULTS; i++) {
        if (r->at[i] && done)
            result_take(r->to[i], r->at[i]);
        else if (r->at[i])
            composite_results_drop(r, i);
    }
    return done;
}
