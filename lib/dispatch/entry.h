/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What calls take, by kind and size: GMP here, and the device when it is idle.
 *
 * An entry is a kind (a threshold), a quarter octave of the size that decides, and half an octave
 * of all limbs over that.  A power of two is the longest of its class: transforms of that length
 * serve the whole class. */
#ifndef MPGPU_ENTRY_H
#define MPGPU_ENTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/profile.h"

enum { ENTRY_SIZES = 128, ENTRY_RATIOS = 12, ENTRY_SHARE = 100, ENTRY_PRODUCTS = 16 };

/* Nanoseconds; 0 is unknown. */
struct entry {
    _Alignas(64) _Atomic int64_t gmp; /* smoothed, as calls have shown */
    _Atomic int64_t gmp_seen;         /* when the last one did */
    _Atomic int64_t idle;             /* on an idle device */
    _Atomic int64_t mean;             /* for a thread that finds nobody's call there; smoothed */
    _Atomic int64_t allowance;        /* for samples of GMP: 1 % of the device's time */
    _Atomic int64_t products;         /* sixteenths of what a composite operation sends; smoothed */
    atomic_bool is_warm;              /* the first call has ended */
};

/* A kind's times of GMP from a profile, by size class, and what calls show them to be off by. */
struct entry_prior {
    _Atomic int64_t gmp[ENTRY_SIZES];
    _Atomic int64_t factor; /* 1024ths; 0 before any */
};

/* Zero at first; pages that no call needs stay untouched. */
struct entries {
    struct entry entry[PROFILE_THRESHOLDS][ENTRY_SIZES][ENTRY_RATIOS];
    struct entry_prior prior[PROFILE_THRESHOLDS];
};

/* A call: its kind, the size that decides, all limbs, the threshold in force. */
struct entry_key {
    enum profile_threshold kind;
    size_t size, limbs, threshold;
};

struct entry *entries_find(struct entries *t, const struct entry_key *key);

/* GMP's time: as observed, or the profile's corrected, or a guess from the device's own at the
 * threshold.  0 is unknown. */
int64_t entry_gmp(struct entries *t, const struct entry *e, const struct entry_key *key);

/* The same without the guess. */
int64_t entry_known_gmp(struct entries *t, const struct entry *e, const struct entry_key *key);

/* GMP has taken so long. */
void entry_observe_gmp(struct entries *t, struct entry *e, const struct entry_key *key, int64_t ns,
                       int64_t now);

/* The device has, where a wait of `wait` was expected, in a call that found no other of this
 * process there or did. */
void entry_observe_device(struct entry *e, int64_t ns, int64_t wait, bool was_idle);

/* The same for the mean alone, of a call that found no other; a trial that is fast counts more. */
void entry_observe_mean(struct entry *e, int64_t ns, bool is_trial);

/* A composite operation has sent so many products. */
void entry_observe_products(struct entry *e, unsigned products);

/* Should GMP compute one that the device is to have, which costs `loss`?  Takes it from the
 * allowance. */
bool entry_wants_sample(struct entry *e, int64_t loss, int64_t now);

/* The profile's times: `gmp_ns` says 0 where they are unknown. */
void entries_use_profile(struct entries *t, const struct profile *p,
                         uint64_t (*gmp_ns)(const struct profile *p, enum profile_threshold kind,
                                            size_t limbs));

#endif
