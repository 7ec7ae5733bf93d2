/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The balance of the device: time gained or lost compared with GMP, in nanoseconds of thread time.
 * The balance pays for trials: calls that are sent to the device although it may be slower. */
#ifndef MPGPU_TRIAL_BUDGET_H
#define MPGPU_TRIAL_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    TRIAL_BUDGET_CREDIT = 20000000, /* the highest balance */
    TRIAL_BUDGET_DEBT = 60000000,   /* the balance never falls below minus this */
    /* while the balance is below minus this, no call is sent to a device that may be slower */
    TRIAL_BUDGET_OVERDRAFT = 2000000,
    TRIAL_BUDGET_MOST_LOSS = 20000000, /* the most that one trial subtracts from the balance */
    /* least time between two series of trials; doubled after each slow series but the first */
    TRIAL_BUDGET_GAP = 500000,
    TRIAL_BUDGET_DOUBLINGS = 5 /* TRIAL_BUDGET_GAP is doubled at most this often */
};

/* The balance, and the trials that it pays for. All zero at first. Any thread may use it. */
struct trial_budget {
    /* balance: time gained less time lost; last: end of the last trial */
    _Atomic int64_t balance, last;
    atomic_int in_vain;       /* slow series of trials since the last fast one */
    _Atomic int64_t trial;    /* when the current trial began; 0: none */
    _Atomic int64_t forgiven; /* when a negative balance was last reset */
};

int64_t trial_budget_balance(const struct trial_budget *a);

/* Adds a gain, or a loss if ns < 0. */
void trial_budget_add(struct trial_budget *a, int64_t ns);

/* Resets a negative balance to 0, at most once a second. */
void trial_budget_reset(struct trial_budget *a, int64_t now);

/* Returns true if the device may compute a call that is expected to lose `loss` ns (a trial). Then
 * subtracts the loss, but at most TRIAL_BUDGET_MOST_LOSS, from the balance and stores it in
 * *reserved. The caller must pass *reserved to trial_budget_tried; no other trial can begin before
 * that call. A trial may begin only `gap` ns after the last one, or later if earlier trials were
 * slow. gap < 0: it may begin at once. */
bool trial_budget_try(struct trial_budget *a, int64_t loss, int64_t gap, int64_t now,
                      int64_t *reserved);
void trial_budget_tried(struct trial_budget *a, int64_t reserved, int64_t now);

/* Reports the result of a series of trials. `good`: its last call took the device at most twice its
 * usual time without a queue, or no longer than GMP. */
void trial_budget_judge(struct trial_budget *a, bool good);

#endif
