/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Two devices that compute one composite operation together, each in its own thread. Both compute
 * all of it, with two exceptions.  Each computes only one half of a long product
 * (lib/calc/calc_half.h), and uploads only one half of a long operand (lib/calc/calc_lend.h). Each
 * copies the other's half: they meet there. So both have all numbers, and each checks all of its
 * numbers. */
#ifndef MPGPU_CALC_PAIR_H
#define MPGPU_CALC_PAIR_H

#include <stdatomic.h>
#include <stdbool.h>

#include "lib/device/number.h"
#include "lib/process/event.h"

enum { CALC_HALVES = 2 };

/* Memory from which the other device may copy, until the meeting after the next. */
struct calc_offer {
    gpu_device_impl *device;
    struct number x;
};

struct calc_pair {
    uint64_t least; /* least words of a product to share */
    uint64_t lent;  /* least words of an operand to share */
    struct calc_pair_half {
        struct event meetings; /* posted at each meeting */
        atomic_bool is_gone;
        struct calc_offer offer[2];     /* used alternately */
        struct context *_Atomic keeper; /* the context whose memory has them: calc_pair_forget */
    } half[CALC_HALVES];
};

/* Initialises the pair. Call it before both halves begin. */
void calc_pair_begin(struct calc_pair *p, uint64_t least, uint64_t lent);

/* Offers `mine`, which must be complete, and waits for the other half. Returns true, and sets
 * *other to the other's offer. Returns false if the other half or half i has left. */
bool calc_pair_meet(struct calc_pair *p, unsigned i, const struct calc_offer *mine,
                    struct calc_offer *other);

/* calc_pair_leave marks half i as left: it comes to no more meetings. Any thread, any number of
 * calls. */
void calc_pair_leave(struct calc_pair *p, unsigned i);
bool calc_pair_is_gone(const struct calc_pair *p, unsigned i);

/* calc_pair_keep offers memory of s (SLOT_SHARE, SLOT_LENT), which must then not be released.
 * calc_pair_forget ends that, once both halves have ended. */
void calc_pair_keep(struct calc_pair *p, unsigned i, struct context *s);
void calc_pair_forget(struct calc_pair *p);

#endif
