/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What the device has gained and lost, in nanoseconds of thread time, and the trials that it pays.
 */
#ifndef MPGPU_ACCOUNT_H
#define MPGPU_ACCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    ACCOUNT_CREDIT = 20000000,    /* the most that a gain is remembered for */
    ACCOUNT_DEBT = 60000000,      /* the most that losses are */
    ACCOUNT_OVERDRAFT = 2000000,  /* what trials may owe */
    ACCOUNT_MOST_LOSS = 20000000, /* that is reserved for one trial */
    ACCOUNT_GAP = 500000,         /* between two trials, doubled for each that was in vain, */
    ACCOUNT_DOUBLINGS = 6         /* so often at most */
};

/* Zero at first.  Any thread. */
struct account {
    _Atomic int64_t balance, last; /* the last trial's end */
    atomic_int in_vain;            /* trials since the last good one */
    _Atomic int64_t trial;         /* when the one under way began; 0 is none */
    _Atomic int64_t forgiven;      /* when a debt was last */
};

int64_t account_balance(const struct account *a);

/* A gain, or a loss below 0. */
void account_add(struct account *a, int64_t ns);

/* A debt is none any more; once a second at most. */
void account_forgive(struct account *a, int64_t now);

/* May a trial begin that is expected to lose so much?  Then the loss is reserved, and no other
 * begins until account_tried; `reserved` is what to give that.  After the last one there has to be
 * `gap`, and more where that was in vain. */
bool account_try(struct account *a, int64_t loss, int64_t gap, int64_t now, int64_t *reserved);
void account_tried(struct account *a, int64_t reserved, int64_t now);

/* The device was about as fast as it can be in a trial, or not. */
void account_judge(struct account *a, bool good);

#endif
