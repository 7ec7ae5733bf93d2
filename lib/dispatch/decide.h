/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decides who computes a call: the device, or GMP at once. Logic only: the caller supplies the
 * clock. */
#ifndef MPGPU_DECIDE_H
#define MPGPU_DECIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/outcome.h"
#include "lib/dispatch/trial_budget.h"
#include "lib/dispatch/burst.h"
#include "lib/dispatch/active_threads.h"
#include "lib/dispatch/call_cost.h"
#include "lib/dispatch/load.h"

/* The state that all threads share. All zero at first. */
struct decide {
    struct load load;
    _Alignas(64) struct trial_budget budget;
    _Alignas(64) struct active_threads active;
    _Alignas(64) struct burst burst;
    _Alignas(64) atomic_int in_flight; /* calls on the device */
    atomic_uint warm_ups;              /* how often the device has prepared itself */
    _Alignas(
        64) _Atomic int64_t exploring; /* when the call that tests a new size began; 0: none now */
    /* Counts of calls. busy: computed by GMP because the device was busy; trials: sent to the
     * device although it might be slower; samples: computed by GMP to measure its time. */
    _Alignas(64) _Atomic uint64_t busy, trials, samples;
    /* Classes of the number of threads (note_regime). regime: the class that applies; next_regime:
     * the class observed last. */
    atomic_int regime, next_regime;
    _Atomic int64_t regime_since; /* since when next_regime has been observed */
    atomic_int cpus; /* with this many threads the device's own threads get no CPU; 0: unknown */
    struct call_costs entries;
};

struct decide_call;

/* State of one thread, all zero at first. */
struct decide_thread {
    /* Nanoseconds in which GMP computed, not yet added to the shared balance of gains. */
    int64_t passed;
    uint64_t busy; /* calls not yet added to decide.busy */
    int64_t seen;  /* for active_threads_count */
    /* sent, away: products of the enclosing composite operation that were sent to the device, and
     * that GMP has computed */
    unsigned sent, away;
    /* Flags of the current call. is_in_flight: it is on the device; is_trying: it was sent although
     * the device might be slower (a trial); is_exploring: its device time is unknown. */
    bool is_in_flight, is_trying, is_exploring;
    int64_t reserved;
    /* The entry of the latest trial, and how many calls may follow it as trials at once. */
    const struct call_cost *series;
    int series_left;
    /* The entry whose calls GMP computes to measure its time, until 2 ms after device_end, or
     * NULL. */
    const struct call_cost *sampled;
    /* This thread's last call on the device: its entry, and when it ended. */
    const struct call_cost *computed;
    int64_t device_end;
    const struct decide_call *experiment; /* a composite operation, all of whose products go to the
                                             device to measure its time; or NULL */
    int64_t experiment_start;             /* when it began */
    const struct decide_call
        *inside;   /* the long call that active_threads_enter has counted, or NULL */
    bool was_long; /* the latest call that has ended was long */
};

/* What decide_ask must know about a call. */
struct decide_question {
    struct call_cost_key key;
    bool is_composite; /* a composite operation; each product inside it is a separate question */
    /* The size does not determine the call's time. So the time of a comparable product is used: its
     * size is `product`, its threshold product_threshold. */
    bool by_product;
    size_t product;
    size_t product_threshold;
};

/* A call between decide_ask and decide_end. */
struct decide_call {
    struct decide_question question;
    struct call_cost *entry;
    int64_t start, reserved, wait;
    int load;    /* count of calls on the device when this call began */
    int threads; /* number of threads that make calls, this one included */
    unsigned warm_ups, sent, away;
    int series_left; /* after this trial, this many calls may be trials at once */
    bool is_alone, is_trial, is_burst;
    bool is_explorer; /* this is the only call under way whose device time is unknown */
    /* The call is a product inside a composite operation that was sent to the device although the
     * device might be slower (a trial). The decide_end of that operation accounts for the product's
     * time. */
    bool is_part;
    enum outcome answer;
};

/* Decides who computes a call. Returns OUTCOME_DONE for the device, OUTCOME_BUSY or OUTCOME_SAMPLE
 * for GMP at once. decide_end must follow. If a thread leaves a call by longjmp, its next
 * decide_ask ends that call. */
enum outcome decide_ask(struct decide *d, struct decide_thread *t, struct decide_call *c,
                        const struct decide_question *question, int64_t now);

/* Reports that the device has not computed the call, and that GMP begins. */
void decide_give_up(struct decide *d, struct decide_thread *t, const struct decide_call *c,
                    int64_t now);

/* Reports the end of the call at `now`. The outcome is OUTCOME_DONE if the device has computed it.
 */
void decide_end(struct decide *d, struct decide_thread *t, struct decide_call *c,
                enum outcome outcome, int64_t now);

/* Adds the times and counts that this thread has collected to the shared balance of gains, and to
 * the shared counts. */
void decide_flush(struct decide *d, struct decide_thread *t);

#endif
