/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decides who computes a call, and learns from the times of finished calls. */
#include "lib/dispatch/decide.h"

/* Nanoseconds. */
static const int64_t floor_idle = 20000, /* assumed least time of a call on the device */
    flush_time = 100000,       /* portions in which GMP's time is added to the balance of gains */
    most_loss = 50000000,      /* the most loss that is counted for one call */
    hopeless_gap = 50000000,   /* least time between two calls to a device known to be slower */
    regime_time = 50000000,    /* how long a new number of threads must last before it counts */
    composite_loss = 100000,   /* assumed loss when a composite operation first tries the device */
    sample_old = 1000000000,   /* age at which GMP's time of a size should be measured again */
    close_old = 200000000,     /* the same for the only thread, if GMP is nearly as fast */
    sample_time = 2000000,     /* how long the only thread then leaves its calls to GMP */
    explored_alone = 20000000, /* calls that take GMP longer than this may be sent while another
                                * call tests the device */
    longest_experiment = 10000000000; /* a composite operation that measures the device's time and
                                         takes longer than this was cancelled, or left by longjmp */

enum {
    /* Calls that are sent to learn the device's time may together cost 1/100 of the time that all
     * calls by GMP take. */
    GMP_SHARE = 100,
    CLEARLY = 4, /* a device this many times as fast as GMP gets all calls: GMP's thread would add
                    little */
    /* A slow trial of an idle device begins a series of this many trials, since a device that has
     * slept computes its first call slowly. A fast trial ends the series, as does one that takes
     * longer than SLEEPY times GMP's time. */
    SERIES = 4,
    SLEEPY = 8
};

static int64_t get(const _Atomic int64_t *x) {
    return atomic_load_explicit(x, memory_order_relaxed);
}

static int64_t at_least(int64_t x, int64_t least) {
    return x > least ? x : least;
}

/* Returns how long a call must wait for the device; for a composite operation, the waits of all its
 * products. */
static int64_t wait_of(const struct decide *d, const struct call_cost *e, int load,
                       bool is_composite) {
    int64_t wait = load_get(&d->load, load), products = get(&e->products);
    return is_composite && products > CALL_COST_PRODUCTS ? wait * products / CALL_COST_PRODUCTS
                                                         : wait;
}

/* Returns true if only one thread makes calls, the device is idle, and recent calls on it were not
 * unusually slow. Then the device computes all calls above their thresholds. */
static bool is_undisturbed(const struct decide *d, const struct decide_call *c, int64_t gmp) {
    return c->is_alone && c->load == 0 &&
           load_get(&d->load, 0) <= at_least(get(&c->entry->idle), floor_idle) &&
           (gmp == 0 || get(&c->entry->mean) <= gmp);
}

/* The times of a call: on the device without a wait, and by GMP. */
struct rates {
    const struct decide *d;
    const struct call_cost *e;
    int64_t idle, gmp;
    bool is_composite;
};

/* Returns how many more calls `count` threads compute in 2^42 ns on the device than by GMP. */
static int64_t value_of(const struct rates *r, int count) {
    const int64_t time = (int64_t)1 << 42;
    int64_t device = r->idle + wait_of(r->d, r->e, count - 1, r->is_composite);
    return count * (time / at_least(device, 1) - time / at_least(r->gmp, 1));
}

/* Returns true if the total throughput is highest with more than `load` calls on the device. For a
 * number of calls whose wait was never observed, uses the wait with fewer calls. So threads try
 * this number. */
static bool is_better_with_more(const struct rates *r, int load, int threads) {
    static const int counts[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
    int64_t without = 0, with = value_of(r, load + 1);
    for (unsigned i = 0; i < sizeof counts / sizeof *counts && counts[i] <= threads; i++) {
        int64_t value = value_of(r, counts[i]);
        if (counts[i] > load)
            with = at_least(value, with);
        else
            without = at_least(value, without);
    }
    return with > without;
}

/* Returns true if threads use all CPUs, so that the device's own threads wait for a CPU. */
static bool has_other_threads(const struct decide *d, const struct decide_call *c) {
    int cpus = atomic_load_explicit(&d->cpus, memory_order_relaxed);
    return cpus > 0 && c->threads >= cpus;
}

/* Returns true if the device is expected to be faster than GMP. `gmp` is 0 if GMP's time is
 * unknown. */
static bool call_cost_is_faster(const struct decide *d, const struct call_cost *e, int64_t gmp,
                                const struct decide_call *c, bool is_composite) {
    int64_t wait = wait_of(d, e, c->load, is_composite), idle = get(&e->idle);
    /* GMP's time is unknown. Only one call tries the device, while GMP computes the others, so that
     * GMP's time becomes known. */
    if (gmp == 0)
        return wait <= floor_idle && c->load == 0;
    if (idle == 0)
        /* The device's time is unknown: as the call is above the threshold, assumes half of GMP's
         * time. */
        idle = gmp / 2;
    int64_t time = c->load == 0 && c->is_alone ? at_least(idle + wait, get(&e->mean)) : idle + wait;
    if (time >= gmp - gmp / 20)
        return false;
    if (time < gmp / CLEARLY)
        return true;
    /* If threads use all CPUs, the device gets the call: GMP would take CPUs from the device's own
     * threads. */
    if (has_other_threads(d, c))
        return true;
    const struct rates rates = {d, e, idle, gmp - gmp / 20, is_composite};
    return c->load == 0 || is_better_with_more(&rates, c->load, c->threads);
}

/* Returns true if the device is expected to be faster for a product that is comparable to the call.
 */
static bool product_is_sooner(struct decide *d, const struct decide_call *c) {
    const struct decide_question *q = &c->question;
    struct call_cost_key key = {PROFILE_mul, q->product, 2 * q->product, q->product_threshold};
    const struct call_cost *e = call_costs_find(&d->entries, &key);
    return call_cost_is_faster(d, e, call_cost_gmp(&d->entries, e, &key), c, false);
}

static int64_t gmp_of(struct decide *d, const struct decide_call *c) {
    const struct decide_question *q = &c->question;
    if (q->is_composite)
        return q->by_product ? 0 : call_cost_known_gmp(&d->entries, c->entry, &q->key);
    return call_cost_gmp(&d->entries, c->entry, &q->key);
}

/* Returns false for composite operations other than divisions: they share entries in the table of
 * times, so that an entry's times are not those of a single operation. */
static bool has_own_entry(const struct decide_call *c) {
    return !c->question.is_composite || c->question.key.kind == PROFILE_div;
}

static bool is_welcome(struct decide *d, const struct decide_call *c, int64_t gmp) {
    const struct decide_question *q = &c->question;
    if (is_undisturbed(d, c,
                       has_own_entry(c) ? call_cost_known_gmp(&d->entries, c->entry, &q->key) : 0))
        return true;
    if (q->is_composite && (gmp == 0 || get(&c->entry->idle) == 0))
        return product_is_sooner(d, c);
    return call_cost_is_faster(d, c->entry, gmp, c, q->is_composite);
}

/* Begins a trial (a call to the device that may be slower) if the budget allows it. Reserves its
 * expected loss. */
static bool try_device(struct decide *d, const struct decide_thread *t, struct decide_call *c,
                       int64_t gmp, int64_t now) {
    int64_t idle = get(&c->entry->idle);
    bool is_hopeless = gmp && idle >= gmp - gmp / 20, is_idle = c->load == 0;
    int left = is_idle && t->series == c->entry ? t->series_left : 0;
    int64_t gap = left > 0                 ? -1
                  : is_hopeless            ? hopeless_gap
                  : is_idle && c->is_alone ? 0
                                           : TRIAL_BUDGET_GAP;
    int64_t loss =
        c->question.is_composite && !(gmp && idle) ? composite_loss : idle + c->wait - gmp;
    c->is_trial = trial_budget_try(&d->budget, loss, gap, now, &c->reserved);
    c->series_left = left > 0 ? left - 1 : is_idle ? SERIES - 1 : 0;
    return c->is_trial;
}

/* Returns true if the device's time for calls of this size can be measured, but is unknown. For
 * some operations (by_product) the size does not determine the time. */
static bool is_unknown(const struct decide_call *c) {
    return !c->question.by_product && get(&c->entry->idle) == 0;
}

/* Claims the right to send a call whose device time is unknown. Only one thread has this right, so
 * that a slow or unprepared device delays no other thread. */
static bool explore(struct decide *d, struct decide_call *c, int64_t now) {
    int64_t since = get(&d->exploring);
    if (since != 0 && now - since < longest_experiment)
        return false;
    c->is_explorer = atomic_compare_exchange_strong_explicit(
        &d->exploring, &since, now, memory_order_relaxed, memory_order_relaxed);
    return c->is_explorer;
}

/* Returns the loss of a series of samples of GMP's time, each of which loses `loss`. */
static int64_t loss_of_series(int64_t loss, int64_t gmp) {
    return gmp < sample_time ? sample_time / gmp * loss : loss;
}

/* Returns true if GMP should compute the call although the device is expected to be faster, so that
 * GMP's time is known. If this is the only thread, that is done where GMP's time decides, and for
 * sample_time: after a call on the device GMP finds cold caches, and threads that still spin. */
static bool wants_sample(const struct decide_thread *t, const struct decide_call *c, int64_t gmp,
                         int64_t now) {
    int64_t loss = gmp - get(&c->entry->idle) - c->wait;
    if (!c->is_alone)
        return !c->question.by_product && gmp &&
               call_cost_wants_sample(c->entry, loss, now, sample_old);
    if (!has_own_entry(c))
        return false;
    bool goes_on = t->sampled == c->entry && now - t->device_end < sample_time;
    return goes_on || (gmp && gmp < 2 * get(&c->entry->mean) &&
                       call_cost_wants_sample(c->entry, loss_of_series(loss, gmp), now, close_old));
}

/* If the device without a wait would be twice as fast as GMP, joins or begins a burst: a short
 * period in which all threads send their calls to the device. */
static bool joins_burst(struct decide *d, struct decide_call *c, int64_t gmp, int64_t now) {
    int64_t idle = get(&c->entry->idle);
    c->is_burst =
        has_other_threads(d, c) && idle > 0 && 2 * idle < gmp && burst_asks(&d->burst, gmp, now);
    return c->is_burst;
}

static void stop_exploring(struct decide *d) {
    atomic_store_explicit(&d->exploring, 0, memory_order_relaxed);
}

/* Returns true if GMP should compute the call: its device time is unknown, and another thread now
 * measures the device with such a call. Returns false if GMP would take longer than the device's
 * preparation, or if the device has not yet computed anything. */
static bool waits_for_explorer(struct decide *d, struct decide_call *c, int64_t gmp, int64_t now) {
    return c->warm_ups > 0 && is_unknown(c) && !explore(d, c, now) && gmp <= explored_alone &&
           !(c->is_alone && c->load == 0);
}

static enum outcome answer(struct decide *d, const struct decide_thread *t, struct decide_call *c,
                           int64_t now) {
    int64_t gmp = gmp_of(d, c);
    if (c->is_part)
        return OUTCOME_DONE;
    if (waits_for_explorer(d, c, gmp, now))
        return OUTCOME_BUSY;
    if (is_welcome(d, c, gmp))
        return wants_sample(t, c, gmp, now) ? OUTCOME_SAMPLE : OUTCOME_DONE;
    return joins_burst(d, c, gmp, now) || try_device(d, t, c, gmp, now) ? OUTCOME_DONE
                                                                        : OUTCOME_BUSY;
}

static void enter(struct decide *d, struct decide_thread *t, const struct decide_call *c) {
    if (!c->is_part) {
        bool goes_on = c->is_trial && c->load == 0 && t->series == c->entry;
        if (t->series_left > 0 && !goes_on) /* this call ends a series of slow trials */
            trial_budget_judge(&d->budget, false);
        t->is_trying = c->is_trial;
        t->series_left = 0;
        t->sampled = NULL;
        t->is_exploring = c->is_explorer;
        t->reserved = c->reserved;
    }
    if (c->is_trial)
        atomic_fetch_add_explicit(&d->trials, 1, memory_order_relaxed);
    if (c->question.is_composite) {
        if (c->is_trial || c->is_explorer) {
            t->experiment = c;
            t->experiment_start = c->start;
        }
        return;
    }
    t->is_in_flight = true;
    atomic_fetch_add_explicit(&d->in_flight, 1, memory_order_relaxed);
}

static void leave_flight(struct decide *d, struct decide_thread *t) {
    if (t->is_in_flight)
        atomic_fetch_sub_explicit(&d->in_flight, 1, memory_order_relaxed);
    t->is_in_flight = false;
}

static void end_experiment(struct decide *d, struct decide_thread *t, int64_t now) {
    if (t->is_trying)
        trial_budget_tried(&d->budget, t->reserved, now);
    if (t->is_exploring)
        stop_exploring(d);
    t->is_trying = t->is_exploring = false;
    t->experiment = NULL;
}

/* An experiment is a composite operation (one of several products) that is sent to the device to
 * measure the device's time. Returns true if the call is a product inside this thread's experiment.
 * A call inside another one is recognised by its lower address on the stack. */
static bool is_part(const struct decide_thread *t, const struct decide_call *c, int64_t now) {
    return t->experiment && (uintptr_t)c < (uintptr_t)t->experiment &&
           now - t->experiment_start < longest_experiment;
}

/* Resets a negative balance of gains and losses, once the number of threads has been different by a
 * factor of about two for some time. Losses with the old number of threads do not count for the new
 * one. */
static void note_regime(struct decide *d, int threads, int64_t now) {
    int regime = threads < 2 ? 0 : threads < 4 ? 1 : threads < 8 ? 2 : threads < 16 ? 3 : 4;
    if (atomic_load_explicit(&d->next_regime, memory_order_relaxed) != regime) {
        atomic_store_explicit(&d->next_regime, regime, memory_order_relaxed);
        atomic_store_explicit(&d->regime_since, now, memory_order_relaxed);
    } else if (atomic_load_explicit(&d->regime, memory_order_relaxed) != regime &&
               get(&d->regime_since) + regime_time <= now) {
        atomic_store_explicit(&d->regime, regime, memory_order_relaxed);
        trial_budget_reset(&d->budget, now);
    }
}

static void leave_long_call(struct decide *d, struct decide_thread *t) {
    if (t->inside)
        active_threads_leave(&d->active);
    t->inside = NULL;
}

/* Counts the thread as inside a long call if its previous call was long. Does nothing if `c` is
 * inside the call t->inside; the lower stack address of `c` shows this. */
static void enter_long_call(struct decide *d, struct decide_thread *t,
                            const struct decide_call *c) {
    if (t->inside && (uintptr_t)c < (uintptr_t)t->inside)
        return;
    leave_long_call(d, t);
    if (!t->was_long)
        return;
    t->inside = c;
    active_threads_enter(&d->active);
}

enum outcome decide_ask(struct decide *d, struct decide_thread *t, struct decide_call *c,
                        const struct decide_question *question, int64_t now) {
    bool part = is_part(t, c, now);
    leave_flight(d, t); /* ends a call that was left by longjmp */
    if (!part)
        end_experiment(d, t, now);
    enter_long_call(d, t, c);
    *c = (struct decide_call){.question = *question, .start = now, .is_part = part};
    c->entry = call_costs_find(&d->entries, &question->key);
    c->load = atomic_load_explicit(&d->in_flight, memory_order_relaxed);
    c->wait = wait_of(d, c->entry, c->load, question->is_composite);
    c->is_alone = active_threads_is_one(&d->active, (uintptr_t)t, now);
    c->threads = active_threads_count(&d->active, &t->seen, now);
    note_regime(d, c->threads, now);
    c->warm_ups = atomic_load_explicit(&d->warm_ups, memory_order_relaxed);
    c->sent = t->sent;
    c->away = t->away;
    c->answer = answer(d, t, c, now);
    if (c->answer == OUTCOME_DONE)
        enter(d, t, c);
    else if (c->is_explorer)
        stop_exploring(d);
    return c->answer;
}

/* Returns how much longer the call took than on an idle device. If no other call was in flight,
 * only large excesses count. */
static int64_t excess_of(const struct decide_call *c, int64_t ns) {
    int64_t idle = get(&c->entry->idle);
    return ns - (c->load == 0 ? 2 * idle : idle);
}

/* Returns true if the call was sent although the known times did not favour the device. */
static bool is_experiment(const struct decide_call *c) {
    return c->is_trial || c->is_explorer || c->is_part || c->is_burst;
}

/* Returns true if a trial took at most twice the idle device's time, or no longer than GMP. */
static bool is_good(const struct decide_call *c, int64_t ns, int64_t gmp) {
    return ns <= at_least(2 * get(&c->entry->idle), gmp);
}

/* Ends a trial that took `ns`. If it was slow, the next call of this thread may be the next trial
 * of the series; only the series' last trial is judged. */
static void end_trial(struct decide *d, struct decide_thread *t, const struct decide_call *c,
                      int64_t ns, int64_t gmp) {
    bool good = is_good(c, ns, gmp);
    t->series = c->entry;
    t->series_left = good || ns / SLEEPY > gmp ? 0 : c->series_left;
    if (t->series_left == 0)
        trial_budget_judge(&d->budget, good);
}

static void learn_product(struct decide *d, struct decide_thread *t, const struct decide_call *c,
                          int64_t ns) {
    int64_t gmp = call_cost_known_gmp(&d->entries, c->entry, &c->question.key);
    call_cost_observe_device(c->entry, ns, c->wait, c->load == 0);
    int64_t idle = get(&c->entry->idle);
    if (c->load == 0)
        call_cost_observe_mean(c->entry, ns, is_experiment(c));
    int64_t gain = gmp && !c->is_part ? at_least(gmp - ns, -most_loss) : 0;
    load_observe(&d->load, c->load, excess_of(c, ns), idle, is_experiment(c));
    if (c->is_burst && gain < 0)
        burst_costs(&d->burst, -gain, c->start + ns);
    else if (has_other_threads(d, c) && !c->is_burst && gain > 0)
        burst_pays(&d->burst);
    if (c->is_trial)
        end_trial(d, t, c, ns, gmp);
    bool by_order = c->is_alone && c->load == 0 && ns <= 2 * idle;
    if (!by_order || gain > 0)
        trial_budget_add(&d->budget, gain);
}

/* Adds the time that a composite operation gained or lost to the device's balance. Unless the
 * operation was a trial (sent although the device might be slower), its products have already
 * changed the balance. */
static void pay_composite(struct decide *d, const struct decide_thread *t,
                          const struct decide_call *c, int64_t ns) {
    int64_t gmp = gmp_of(d, c);
    bool has_products = t->sent != c->sent || t->away != c->away;
    if (gmp && (c->is_trial || c->is_explorer || !has_products))
        trial_budget_add(&d->budget, at_least(gmp - ns, -most_loss));
    if (c->is_trial)
        trial_budget_judge(&d->budget, is_good(c, ns, gmp));
}

/* Learns from a composite operation that was partly computed on the device. Its whole time counts,
 * even if GMP computed some products, because the decision was about the whole. */
static void learn_composite(struct decide *d, const struct decide_thread *t,
                            const struct decide_call *c, int64_t ns) {
    if (!c->question.by_product) {
        call_cost_observe_device(c->entry, ns, c->wait, c->load == 0);
        if (c->load == 0)
            call_cost_observe_mean(c->entry, ns, is_experiment(c));
        call_cost_observe_products(c->entry, t->sent - c->sent);
    }
    pay_composite(d, t, c, ns);
}

/* Returns false if the device was preparing itself during the call, so that its time proves
 * nothing. The first call of an entry (a kind and size of calls) prepares the device, and delays
 * all calls that wait for it. */
static bool was_prepared(struct decide *d, const struct decide_call *c) {
    bool is_first = !atomic_load_explicit(&c->entry->is_warm, memory_order_relaxed) &&
                    !atomic_exchange_explicit(&c->entry->is_warm, true, memory_order_relaxed);
    if (is_first)
        atomic_fetch_add_explicit(&d->warm_ups, 1, memory_order_relaxed);
    return atomic_load_explicit(&d->warm_ups, memory_order_relaxed) == c->warm_ups;
}

static void learn_device(struct decide *d, struct decide_thread *t, const struct decide_call *c,
                         int64_t ns) {
    t->sent += !c->question.is_composite;
    t->device_end = c->start + ns;
    t->computed = c->entry;
    if (!c->question.by_product && !was_prepared(d, c))
        return;
    if (c->question.is_composite)
        learn_composite(d, t, c, ns);
    else
        learn_product(d, t, c, ns);
}

void decide_flush(struct decide *d, struct decide_thread *t) {
    trial_budget_add(&d->budget, t->passed / GMP_SHARE);
    atomic_fetch_add_explicit(&d->busy, t->busy, memory_order_relaxed);
    t->passed = 0;
    t->busy = 0;
}

/* Learns from a call that GMP computed. Calls inside it that were decided separately have already
 * reported their time. If only this thread makes calls, a time soon after a call on the device of
 * the same entry does not count. */
static void learn_gmp(struct decide *d, struct decide_thread *t, const struct decide_call *c,
                      int64_t ns, int64_t now) {
    bool asked = t->sent != c->sent || t->away != c->away;
    bool is_cold = c->is_alone && t->computed == c->entry &&
                   now - t->device_end < sample_time / 2 && get(&c->entry->gmp);
    if (c->answer == OUTCOME_SAMPLE && t->sent == c->sent)
        t->sampled = c->entry;
    if (t->sent == c->sent && !c->question.by_product && !is_cold)
        call_cost_observe_gmp(&d->entries, c->entry, &c->question.key, ns, now, c->is_alone);
    if (c->answer != OUTCOME_BUSY)
        return;
    t->busy++;
    t->passed += asked ? 0 : ns;
    if (t->passed >= flush_time)
        decide_flush(d, t);
}

/* Learns from a finished call. If the device failed, GMP's time is ignored. If the device was not
 * open yet, GMP's time counts. */
static void learn(struct decide *d, struct decide_thread *t, const struct decide_call *c,
                  enum outcome outcome, int64_t now) {
    int64_t ns = now > c->start ? now - c->start : 1;
    if (c->answer != OUTCOME_DONE || outcome == OUTCOME_OPENING)
        learn_gmp(d, t, c, ns, now);
    else if (outcome == OUTCOME_DONE)
        learn_device(d, t, c, ns);
}

void decide_give_up(struct decide *d, struct decide_thread *t, const struct decide_call *c,
                    int64_t now) {
    if (c->question.is_composite)
        return;
    leave_flight(d, t);
    if (!c->is_part)
        end_experiment(d, t, now);
}

void decide_end(struct decide *d, struct decide_thread *t, struct decide_call *c,
                enum outcome outcome, int64_t now) {
    bool is_composite = c->question.is_composite;
    if (!is_composite)
        leave_flight(d, t);
    if (!c->is_part)
        end_experiment(d, t, now);
    if (t->inside == c)
        leave_long_call(d, t);
    t->was_long = now - c->start > ACTIVE_THREADS_LONG;
    learn(d, t, c, outcome, now);
    if (c->answer == OUTCOME_SAMPLE)
        atomic_fetch_add_explicit(&d->samples, 1, memory_order_relaxed);
    t->away += outcome != OUTCOME_DONE && !is_composite;
}
