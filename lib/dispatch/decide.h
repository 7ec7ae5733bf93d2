/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decides who computes a call: the device, or GMP at once. Logic only: the caller supplies the
 * clock. */
#ifndef MPGPU_DECIDE_H
#define MPGPU_DECIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/outcome.h"
#include "lib/dispatch/account.h"
#include "lib/dispatch/burst.h"
#include "lib/dispatch/crowd.h"
#include "lib/dispatch/entry.h"
#include "lib/dispatch/load.h"

/* All zero at first. */
struct decide {
    struct load load;
    _Alignas(64) struct account account;
    _Alignas(64) struct crowd crowd;
    _Alignas(64) struct burst burst;
    _Alignas(64) atomic_int in_flight; /* calls on the device */
    atomic_uint warm_ups;              /* how often the device was preparing itself */
    _Alignas(
        64) _Atomic int64_t exploring; /* when the first call of an unknown time began; 0: none */
    _Alignas(64) _Atomic uint64_t busy, trials, samples; /* counts of calls by decision */
    atomic_int regime, next_regime;                      /* the range of the thread count */
    _Atomic int64_t regime_since;                        /* since when next_regime holds */
    atomic_int cpus; /* with this many threads the device's own get no CPU; 0: unknown */
    struct entries entries;
};

struct decide_call;

/* State of one thread, all zero at first. */
struct decide_thread {
    int64_t passed;      /* nanoseconds computed by GMP and not yet added to the account */
    uint64_t busy;       /* calls not yet added to decide.busy */
    int64_t seen;        /* for crowd_count */
    unsigned sent, away; /* products, for the enclosing composite operation */
    bool is_in_flight, is_trying, is_exploring; /* begun and not ended */
    int64_t reserved;
    const struct decide_call *experiment; /* composite operation, or NULL: its products are sent */
    int64_t experiment_start;             /* when it began */
    const struct decide_call *inside;     /* the long call counted in `crowd`, or NULL */
    bool was_long;                        /* of the latest call that has ended */
};

/* A call to decide. */
struct decide_question {
    struct entry_key key;
    bool is_composite;        /* its products are decided separately */
    bool by_product;          /* its time does not follow from its size: a product's time is used */
    size_t product;           /* the size of a comparable product */
    size_t product_threshold; /* the threshold of that product */
};

/* A call from decide_ask to decide_end. */
struct decide_call {
    struct decide_question question;
    struct entry *entry;
    int64_t start, reserved, wait;
    int load;    /* calls in flight at the start */
    int threads; /* that make calls, this one included */
    unsigned warm_ups, sent, away;
    bool is_alone, is_trial, is_burst;
    bool is_explorer; /* the only call under way with an unknown device time */
    bool is_part;     /* a product of an experiment, which pays for it */
    enum outcome answer;
};

/* Decides a call. Returns OUTCOME_DONE for the device; OUTCOME_BUSY or OUTCOME_SAMPLE for GMP at
 * once. decide_end must follow. If a thread leaves a call by longjmp, its next decide_ask ends that
 * call. */
enum outcome decide_ask(struct decide *d, struct decide_thread *t, struct decide_call *c,
                        const struct decide_question *question, int64_t now);

/* Reports that the device has not done the call, and GMP begins. */
void decide_give_up(struct decide *d, struct decide_thread *t, const struct decide_call *c,
                    int64_t now);

/* Reports the end of the call at `now`. OUTCOME_DONE: the device has computed it. */
void decide_end(struct decide *d, struct decide_thread *t, struct decide_call *c,
                enum outcome outcome, int64_t now);

/* Adds this thread's sums to the account and the counts. */
void decide_flush(struct decide *d, struct decide_thread *t);

#endif
