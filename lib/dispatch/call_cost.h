/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Times of calls, by kind and size: by GMP on this machine, and on the idle device.
 *
 * Three numbers select an entry: the kind (a threshold), the class of the size that is compared
 * with the threshold, and the class of the ratio of all operands' limbs to this size. The sizes
 * from one power of two to the next have four classes. Every fourth class ends at a power of two,
 * since a transform of that length serves the whole class. */
#ifndef MPGPU_CALL_COST_H
#define MPGPU_CALL_COST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/profile.h"

enum {
    CALL_COST_SIZES = 128,
    CALL_COST_RATIOS = 12,
    CALL_COST_SHARE = 100,
    CALL_COST_PRODUCTS = 16
};

/* The known times of calls of one kind and size, in nanoseconds; 0: unknown. */
struct call_cost {
    _Alignas(64) _Atomic int64_t gmp; /* by GMP, smoothed */
    _Atomic int64_t gmp_seen;         /* when GMP's time was last observed */
    _Atomic int64_t idle;             /* the device's time if it is idle, without a wait */
    _Atomic int64_t mean; /* time of calls that find no other call on the device; smoothed */
    /* Time that GMP may still lose by computing calls that are measured for comparison: 1 % of the
     * device's time. */
    _Atomic int64_t allowance;
    /* Number of products in a composite operation, in units of 1/16; smoothed. */
    _Atomic int64_t products;
    atomic_bool is_warm; /* set when the first call has ended */
};

/* GMP's times for one kind of call by size class, from a profile, and a factor that corrects them
 * by the times of actual calls. */
struct call_cost_prior {
    _Atomic int64_t gmp[CALL_COST_SIZES];
    _Atomic int64_t factor; /* correction factor in 1024ths; 0: none yet */
};

/* The table of entries. All zero at first. Pages that no call uses stay untouched. */
struct call_costs {
    struct call_cost entry[PROFILE_THRESHOLDS][CALL_COST_SIZES][CALL_COST_RATIOS];
    struct call_cost_prior prior[PROFILE_THRESHOLDS];
};

/* What selects an entry: a call's kind, the size that is compared with the threshold, the number of
 * limbs of all operands, the threshold. */
struct call_cost_key {
    enum profile_threshold kind;
    size_t size, limbs, threshold;
};

struct call_cost *call_costs_find(struct call_costs *t, const struct call_cost_key *key);

/* Returns GMP's time: the observed one, or the profile's with correction, or a guess from the
 * device's time at the threshold. 0: unknown. */
int64_t call_cost_gmp(struct call_costs *t, const struct call_cost *e,
                      const struct call_cost_key *key);

/* Returns GMP's time like call_cost_gmp, but never a guess. */
int64_t call_cost_known_gmp(struct call_costs *t, const struct call_cost *e,
                            const struct call_cost_key *key);

/* Records that a call took `ns` by GMP. is_sure: only this thread makes calls. */
void call_cost_observe_gmp(struct call_costs *t, struct call_cost *e,
                           const struct call_cost_key *key, int64_t ns, int64_t now, bool is_sure);

/* Records that a call took `ns` on the device. `wait`: how long it was expected to wait. was_idle:
 * no other call of this process was on the device. */
void call_cost_observe_device(struct call_cost *e, int64_t ns, int64_t wait, bool was_idle);

/* Updates only the mean by the time of a call that found no other call on the device. A fast trial
 * (a call sent although the device was expected to be slower) counts more. */
void call_cost_observe_mean(struct call_cost *e, int64_t ns, bool is_trial);

/* Records how many products a composite operation has sent to the device. */
void call_cost_observe_products(struct call_cost *e, unsigned products);

/* Returns true if GMP should compute a call that is meant for the device, as a sample of GMP's
 * time, at a cost of `loss`: the time known is at least `old` nanoseconds old. Takes the cost from
 * the entry's allowance. */
bool call_cost_wants_sample(struct call_cost *e, int64_t loss, int64_t now, int64_t old);

/* Sets GMP's times of all kinds and sizes from a profile. `gmp_ns` returns 0 if a time is unknown.
 */
void call_costs_use_profile(struct call_costs *t, const struct profile *p,
                            uint64_t (*gmp_ns)(const struct profile *p, enum profile_threshold kind,
                                               size_t limbs));

#endif
