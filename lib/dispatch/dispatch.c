/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decides who computes this process's calls: passes clock, threads and options to
 * lib/dispatch/decide.h. */
#include "config.h"

#include "lib/dispatch/dispatch.h"

#include <sched.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/base/thresholds.h"
#include "lib/process/event.h"
#include "lib/process/shutdown.h"

static struct decide state;
static THREAD_MEMORY struct decide_thread me;
static THREAD_MEMORY int64_t cost; /* expected device time of the call that has begun */

static void set_cost(int64_t ns) {
    int64_t *mine = THREAD_MEMORY_GET(cost);
    if (mine)
        *mine = ns;
}

static const struct {
    /* The threshold in limbs from which this threshold is derived. An option that sets `base` sets
     * both. */
    enum profile_threshold base;
    bool is_base;
} kinds[PROFILE_THRESHOLDS] = {
#define LIMBS true
#define TIMES false
#define THRESHOLD(name, kind, of, initial, what) {PROFILE_##of, kind},
#include "lib/base/profile.def"
#undef THRESHOLD
#undef TIMES
#undef LIMBS
};

/* Returns true if an option other than `batch` sets the threshold: the device then gets all calls
 * above it. */
static bool is_ordered(enum profile_threshold kind) {
    switch (kinds[kind].base) {
    case PROFILE_mul:
        return mpgpu_conf.mul != MPGPU_UNSET;
    case PROFILE_sqr:
        return mpgpu_conf.sqr != MPGPU_UNSET;
    /* Operations with this threshold compute products modulo B^n - 1 (B = 2^64), or whole products.
     */
    case PROFILE_mulmod:
        return mpgpu_conf.mulmod != MPGPU_UNSET || mpgpu_conf.mul != MPGPU_UNSET;
    case PROFILE_add:
        return mpgpu_conf.add != MPGPU_UNSET;
    case PROFILE_batch:
        return mpgpu_conf.batch != MPGPU_UNSET;
    default:
        return false;
    }
}

/* Sets the size of a comparable product. Its ratio to the threshold of products equals the ratio of
 * the call's size to its own threshold. */
static void set_product(struct decide_question *q) {
    size_t mul = atomic_load_explicit(&thresholds.mul, memory_order_relaxed);
    const struct call_cost_key *key = &q->key;
    bool is_known = key->threshold > 0 && mul > 0 && mul < SIZE_MAX / 1024 / key->size;
    q->product = is_known ? key->size * mul / key->threshold : key->size;
    q->product_threshold = is_known ? mul : key->size;
    q->product += q->product == 0;
}

/* Decides who computes the call. If the thread has no memory for its state, only the thresholds
 * decide. */
static enum outcome ask(struct dispatch_call *c, const struct decide_question *q) {
    struct decide_thread *t = NULL;
    if (mpgpu_conf.dispatch == DISPATCH_AUTO && !is_ordered(q->key.kind) && !shutdown_was_forked())
        t = THREAD_MEMORY_GET(me);
    c->is_asked = t != NULL;
    if (!c->is_asked)
        return OUTCOME_DONE;
    enum outcome outcome = decide_ask(&state, t, &c->call, q, event_clock());
    set_cost(outcome == OUTCOME_DONE
                 ? atomic_load_explicit(&c->call.entry->idle, memory_order_relaxed)
                 : 0);
    return outcome;
}

int64_t dispatch_cost(void) {
    const int64_t *mine = THREAD_MEMORY_FIND(cost);
    return mine ? *mine : 0;
}

static struct call_cost_key key_of(const _Atomic size_t *threshold, size_t size, size_t limbs) {
    return (struct call_cost_key){thresholds_kind(threshold), size, limbs,
                                  atomic_load_explicit(threshold, memory_order_relaxed)};
}

enum outcome dispatch_begin(struct dispatch_call *c, const _Atomic size_t *threshold, size_t size,
                            size_t limbs) {
    return ask(c, &(struct decide_question){.key = key_of(threshold, size, limbs)});
}

/* Sets by_product if the size does not determine the time. The time of a modular power depends on
 * its exponent. An operation that has no threshold of its own consists of several products. */
enum outcome dispatch_begin_composite(struct dispatch_call *c, const _Atomic size_t *threshold,
                                      size_t size, size_t limbs) {
    struct decide_question q = {.key = key_of(threshold, size, limbs), .is_composite = true};
    q.by_product = q.key.kind == PROFILE_powm || kinds[q.key.kind].is_base;
    set_product(&q);
    return ask(c, &q);
}

void dispatch_give_up(struct dispatch_call *c) {
    struct decide_thread *t = c->is_asked ? THREAD_MEMORY_GET(me) : NULL;
    if (t)
        decide_give_up(&state, t, &c->call, event_clock());
}

void dispatch_end(struct dispatch_call *c, enum outcome outcome) {
    struct decide_thread *t = c->is_asked ? THREAD_MEMORY_GET(me) : NULL;
    c->is_asked = false;
    if (!t)
        return;
    set_cost(0);
    decide_end(&state, t, &c->call, outcome, event_clock());
    if (stats_on)
        decide_flush(&state, t);
}

void dispatch_warm_up(void) {
    atomic_fetch_add_explicit(&state.warm_ups, 1, memory_order_relaxed);
}

/* Returns the number of CPUs that the main thread may use. If it may use only one, the program has
 * probably pinned this thread; then returns the number of all CPUs. */
static int cpus(void) {
    cpu_set_t set;
    int online = (int)sysconf(_SC_NPROCESSORS_ONLN);
    int allowed = sched_getaffinity(getpid(), sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    return allowed > 1 && allowed < online ? allowed : online;
}

void dispatch_use_profile(const struct profile *p,
                          uint64_t (*gmp_ns)(const struct profile *p, enum profile_threshold kind,
                                             size_t limbs)) {
    call_costs_use_profile(&state.entries, p, gmp_ns);
    atomic_store(&state.cpus, cpus());
}

void dispatch_ask(struct dispatch_numbers *n) {
    *n = (struct dispatch_numbers){.is_fixed = mpgpu_conf.dispatch == DISPATCH_FIXED};
    if (shutdown_was_forked()) /* in a child of fork, the state would be that of its parent */
        return;
    *n = (struct dispatch_numbers){
        .is_fixed = mpgpu_conf.dispatch == DISPATCH_FIXED,
        .busy = state.busy,
        .trials = state.trials,
        .samples = state.samples,
        .wait = load_get(&state.load, state.in_flight),
        .budget = trial_budget_balance(&state.budget),
    };
}
