/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The table of the times of calls, by kind and size. */
#include "lib/dispatch/call_cost.h"

enum { UNIT = 1024, MOST_TIMES = 1 << 20 };

/* Least time between two updates of an entry's GMP time, in nanoseconds. */
static const int64_t gmp_pause = 200000;

static int64_t get(const _Atomic int64_t *x) {
    return atomic_load_explicit(x, memory_order_relaxed);
}

static void put(_Atomic int64_t *x, int64_t value) {
    atomic_store_explicit(x, value, memory_order_relaxed);
}

/* Returns the class of x. Each range from a power of two to the next one is divided into four
 * classes of equal length. */
static unsigned quarter_octaves(size_t x) {
    if (x < 4)
        return (unsigned)x;
    unsigned octave = 63 - (unsigned)__builtin_clzl(x);
    return 4 * (octave - 1) + (unsigned)(x >> (octave - 2) & 3);
}

static unsigned size_class(size_t size) {
    unsigned class = quarter_octaves(size > 0 ? size - 1 : 0);
    return class < CALL_COST_SIZES ? class : CALL_COST_SIZES - 1;
}

static unsigned ratio_class(size_t size, size_t limbs) {
    unsigned all = size_class(limbs), one = size_class(size);
    unsigned class = all > one ? (all - one) / 2 : 0;
    return class < CALL_COST_RATIOS ? class : CALL_COST_RATIOS - 1;
}

struct call_cost *call_costs_find(struct call_costs *t, const struct call_cost_key *key) {
    return &t->entry[key->kind][size_class(key->size)][ratio_class(key->size, key->limbs)];
}

/* Returns GMP's time for the operands of `key`. `ns` is the profile's time: for a product of two
 * operands of equal length, or a quotient of 2n by n limbs. Adds time if the operands are longer
 * than that. */
static int64_t longer(const struct call_cost_key *key, int64_t ns) {
    size_t usual = key->kind == PROFILE_div ? 3 * key->size : 2 * key->size;
    if (key->kind == PROFILE_sqr || key->limbs <= usual)
        return ns;
    size_t more = (key->limbs - usual) / key->size;
    return ns + ns * (int64_t)(more < MOST_TIMES ? more : MOST_TIMES);
}

static int64_t prior_of(struct call_costs *t, const struct call_cost_key *key) {
    return longer(key, get(&t->prior[key->kind].gmp[size_class(key->size)]));
}

int64_t call_cost_known_gmp(struct call_costs *t, const struct call_cost *e,
                            const struct call_cost_key *key) {
    int64_t gmp = get(&e->gmp);
    if (gmp)
        return gmp;
    int64_t prior = prior_of(t, key), factor = get(&t->prior[key->kind].factor);
    return factor ? prior / UNIT * factor + prior % UNIT * factor / UNIT : prior;
}

/* If GMP's time is unknown, guesses it from the device's time. At the threshold both are assumed to
 * take the same time, and GMP's time grows at least with the size. */
int64_t call_cost_gmp(struct call_costs *t, const struct call_cost *e,
                      const struct call_cost_key *key) {
    int64_t known = call_cost_known_gmp(t, e, key), idle = get(&e->idle);
    if (known || key->threshold == 0)
        return known;
    size_t times = key->size / key->threshold, rest = key->size % key->threshold;
    if (times >= 1000)
        return idle * 1000;
    return idle * (int64_t)times + idle / UNIT * (int64_t)(rest * UNIT / key->threshold);
}

static void correct(struct call_costs *t, const struct call_cost_key *key, int64_t ns) {
    _Atomic int64_t *factor = &t->prior[key->kind].factor;
    int64_t prior = prior_of(t, key), old = get(factor);
    if (prior == 0 || ns >= INT64_MAX / UNIT)
        return;
    int64_t seen = ns * UNIT / prior;
    seen = seen < UNIT / 16 ? UNIT / 16 : seen > 16 * UNIT ? 16 * UNIT : seen;
    put(factor, old ? old + (seen - old) / 4 : seen);
}

/* Returns the new average after a call took `ns`: moves `old` an eighth towards `ns`. A call that
 * waited for a CPU must not count fully, so `ns` counts as at most twice `old`. If `ns` is below
 * half of `old`, or is_sure and below `old`, moves `old` half of the way. */
static int64_t smooth_gmp(int64_t old, int64_t ns, bool is_sure) {
    if (old == 0)
        return ns;
    if (ns < (is_sure ? old : old / 2))
        return ns + (old - ns) / 2;
    return old + ((ns < 2 * old ? ns : 2 * old) - old) / 8;
}

/* Records GMP's time, but writes rarely: threads that compute the same sizes would contend for the
 * entry's cache line. */
void call_cost_observe_gmp(struct call_costs *t, struct call_cost *e,
                           const struct call_cost_key *key, int64_t ns, int64_t now, bool is_sure) {
    int64_t old = get(&e->gmp);
    if (old && now - get(&e->gmp_seen) < gmp_pause)
        return;
    int64_t next = smooth_gmp(old, ns, is_sure);
    put(&e->gmp_seen, now);
    put(&e->gmp, next > 0 ? next : 1);
    correct(t, key, old ? next : ns);
}

static int64_t first_idle(int64_t ns, int64_t wait) {
    int64_t idle = ns - wait;
    return idle > ns / 8 ? idle : ns / 8 + 1;
}

/* Records the device's time: a shorter time always counts, a longer one only if the device was
 * idle. */
void call_cost_observe_device(struct call_cost *e, int64_t ns, int64_t wait, bool was_idle) {
    int64_t old = get(&e->idle), next = old;
    if (old == 0)
        next = first_idle(ns, wait);
    else if (ns < old)
        next = old - (old - ns + 1) / 2;
    else if (was_idle && ns <= 2 * old)
        next = old + (ns - old) / 16;
    if (next != old)
        put(&e->idle, next);
    atomic_fetch_add_explicit(&e->allowance, ns / CALL_COST_SHARE, memory_order_relaxed);
}

void call_cost_observe_mean(struct call_cost *e, int64_t ns, bool is_trial) {
    int64_t old = get(&e->mean);
    bool is_news = is_trial && ns < old;
    put(&e->mean, old == 0 ? ns : old + (ns - old) * (is_news ? 6 : 1) / 8);
}

void call_cost_observe_products(struct call_cost *e, unsigned products) {
    int64_t old = get(&e->products), seen = (int64_t)products * CALL_COST_PRODUCTS;
    put(&e->products, old ? old + (seen - old) / 4 : seen);
}

bool call_cost_wants_sample(struct call_cost *e, int64_t loss, int64_t now, int64_t old) {
    if (get(&e->idle) == 0 || (get(&e->gmp) && now - get(&e->gmp_seen) < old))
        return false;
    int64_t cost = loss > 0 ? loss : 0;
    if (get(&e->allowance) < cost)
        return false;
    if (atomic_fetch_sub_explicit(&e->allowance, cost, memory_order_relaxed) >= cost)
        return true;
    atomic_fetch_add_explicit(&e->allowance, cost, memory_order_relaxed);
    return false;
}

/* Returns the greatest size of a size class. The greatest size of every fourth class is a power of
 * two. */
static size_t longest(unsigned class) {
    return class < 4 ? (size_t) class + 1 : (size_t)(4 + class % 4 + 1) << (class / 4 - 1);
}

void call_costs_use_profile(struct call_costs *t, const struct profile *p,
                            uint64_t (*gmp_ns)(const struct profile *p, enum profile_threshold kind,
                                               size_t limbs)) {
    for (int kind = 0; kind < PROFILE_THRESHOLDS; kind++)
        for (unsigned class = 0; class < CALL_COST_SIZES; class ++) {
            uint64_t ns = gmp_ns(p, (enum profile_threshold)kind, longest(class));
            put(&t->prior[kind].gmp[class], ns < INT64_MAX >> 24 ? (int64_t)ns : INT64_MAX >> 24);
        }
}
