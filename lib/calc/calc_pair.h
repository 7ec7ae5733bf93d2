/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Two devices that do one composite operation together, each in a thread of its own.  Both do all
 * of it, but of a long product each makes one half (lib/calc/calc_half.h), and of a long operand
 * each brings one half (lib/calc/calc_lend.h), which the other copies: there they meet.  So both
 * have all numbers, and each checks all that it has. */
#ifndef MPGPU_CALC_PAIR_H
#define MPGPU_CALC_PAIR_H

#include <stdatomic.h>
#include <stdbool.h>

#include "lib/device/number.h"
#include "lib/process/event.h"

enum { CALC_HALVES = 2 };

/* What the other may copy from, until the meeting after the next. */
struct calc_offer {
    gpu_device_impl *device;
    struct number x;
};

struct calc_pair {
    uint64_t least; /* words of a product that pays, */
    uint64_t lent;  /* and of an operand */
    struct calc_pair_half {
        struct event meetings; /* that it has come to */
        atomic_bool is_gone;
        struct calc_offer offer[2];     /* in turn */
        struct context *_Atomic keeper; /* in whose memory they lie: calc_pair_forget */
    } half[CALC_HALVES];
};

/* Before the two begin. */
void calc_pair_begin(struct calc_pair *p, uint64_t least, uint64_t lent);

/* Half i waits for the other, which finds `mine` there: true, and what the other offers; or the
 * other has gone, or half i was said to.  What is offered is done. */
bool calc_pair_meet(struct calc_pair *p, unsigned i, const struct calc_offer *mine,
                    struct calc_offer *other);

/* Half i comes to no more meetings.  Any thread, more than once. */
void calc_pair_leave(struct calc_pair *p, unsigned i);
bool calc_pair_is_gone(const struct calc_pair *p, unsigned i);

/* Memory of s is offered from now on (SLOT_SHARE, SLOT_LENT), and is not released; until both have
 * ended, and it is forgotten. */
void calc_pair_keep(struct calc_pair *p, unsigned i, struct context *s);
void calc_pair_forget(struct calc_pair *p);

#endif
