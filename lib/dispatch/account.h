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
    ACCOUNT_DEBT = 50000000,      /* the most that a loss is */
    ACCOUNT_OVERDRAFT = 2000000,  /* what trials may owe */
    ACCOUNT_MOST_LOSS = 20000000, /* that is reserved for one trial */
    ACCOUNT_GAP = 500000          /* between two trials */
};

/* Zero at first.  Any thread. */
struct account {
    _Atomic int64_t balance, last; /* the last trial's end */
    atomic_bool is_trying;
};

int64_t account_balance(const struct account *a);

/* A gain, or a loss below 0. */
void account_add(struct account *a, int64_t ns);

/* May a trial begin that is expected to lose so much, the last one being `gap` ago?  Then the loss
 * is reserved, and no other begins until account_tried.  `reserved` is what to give that. */
bool account_try(struct account *a, int64_t loss, int64_t gap, int64_t now, int64_t *reserved);
void account_tried(struct account *a, int64_t reserved, int64_t now);

#endif
