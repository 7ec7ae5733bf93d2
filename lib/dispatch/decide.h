/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Who computes a call: the device, or GMP at once.  Logic alone: times come from the caller. */
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

/* Zero at first. */
struct decide {
    struct load load;
    _Alignas(64) struct account account;
    _Alignas(64) struct crowd crowd;
    _Alignas(64) struct burst burst;
    _Alignas(64) atomic_int in_flight; /* calls on the device */
    atomic_uint warm_ups;              /* so often the device was found preparing itself */
    _Alignas(
        64) _Atomic int64_t exploring; /* when the first call of an unknown time began; 0: none */
    _Alignas(64) _Atomic uint64_t busy, trials, samples; /* calls, by what was decided */
    atomic_int regime, next_regime;                      /* about how many threads there are */
    _Atomic int64_t regime_since;                        /* the latter */
    atomic_int cpus; /* so many threads leave none to the device's; 0: unknown */
    struct entries entries;
};

struct decide_call;

/* One thread's part; zero at first. */
struct decide_thread {
    int64_t passed;      /* nanoseconds of GMP's since the account heard of them */
    uint64_t busy;       /* calls, the same */
    int64_t seen;        /* for crowd_count */
    unsigned sent, away; /* products, for the composite operation around them */
    bool is_in_flight, is_trying, is_exploring; /* what it has begun and not ended */
    int64_t reserved;
    const struct decide_call *experiment; /* the composite operation that is the trial or explores,
                                             or NULL: its products are sent; */
    int64_t experiment_start;             /* and when it began */
    const struct decide_call *inside;     /* the long call that the crowd counts it in, or NULL */
    bool was_long;                        /* the latest call that has ended */
};

/* What is asked. */
struct decide_question {
    struct entry_key key;
    bool is_composite;        /* its products ask for themselves */
    bool by_product;          /* its size does not tell its time: only a product's counts */
    size_t product;           /* a product of this size stands for it, */
    size_t product_threshold; /* whose threshold is that */
};

/* From decide_ask to decide_end. */
struct decide_call {
    struct decide_question question;
    struct entry *entry;
    int64_t start, reserved, wait;
    int load;    /* calls in flight at the start */
    int threads; /* at work, this one of them */
    unsigned warm_ups, sent, away;
    bool is_alone, is_trial, is_burst;
    bool is_explorer; /* the only call whose time on the device is not known */
    bool is_part;     /* a product of an experiment, which pays for it */
    enum outcome answer;
};

/* OUTCOME_DONE: the device; OUTCOME_BUSY, OUTCOME_SAMPLE: GMP, at once.  decide_end must follow;
 * of calls that a thread leaves by longjmp its next one tells. */
enum outcome decide_ask(struct decide *d, struct decide_thread *t, struct decide_call *c,
                        const struct decide_question *question, int64_t now);

/* The device has not done it, and GMP begins. */
void decide_give_up(struct decide *d, struct decide_thread *t, const struct decide_call *c,
                    int64_t now);

/* The result is there, at `now`.  The outcome says by whom. */
void decide_end(struct decide *d, struct decide_thread *t, struct decide_call *c,
                enum outcome outcome, int64_t now);

/* The account and the counts hear of all that this thread has done. */
void decide_flush(struct decide *d, struct decide_thread *t);

#endif
