/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Two devices that compute one composite operation together, each in its own thread. Both compute
 * all of it, with two exceptions. Each computes only one half of a long product
 * (lib/calc/calc_half.h), and uploads only one half of a long operand (lib/calc/calc_lend.h). Each
 * copies the other's half, and the two threads wait for each other there (calc_pair_meet). So both
 * have all numbers, and each checks all of its numbers. */
#ifndef MPGPU_CALC_PAIR_H
#define MPGPU_CALC_PAIR_H

#include <stdatomic.h>
#include <stdbool.h>

#include "lib/device/number.h"
#include "lib/process/event.h"

enum { CALC_HALVES = 2 };

/* Memory that a device offers to the other device for copying. It stays valid until the call of
 * calc_pair_meet after the next. */
struct calc_offer {
    gpu_device_impl *device;
    struct number x;
};

struct calc_pair {
    uint64_t least; /* least words of a product that both devices compute half of */
    uint64_t lent;  /* least words of an operand that both devices upload half of */
    struct calc_pair_half {
        struct event meetings; /* counts the calls of calc_pair_meet */
        atomic_bool is_gone;
        struct calc_offer offer[2];     /* used alternately */
        struct context *_Atomic keeper; /* owner of the offered memory (calc_pair_forget) */
    } half[CALC_HALVES];
};

/* Initialises the pair. Call it before both halves begin. */
void calc_pair_begin(struct calc_pair *p, uint64_t least, uint64_t lent);

/* Offers `mine`, which must be complete, to the other device, and waits for the other half's offer.
 * Returns true, and sets *other to it. Returns false if the other half or half i has left. */
bool calc_pair_meet(struct calc_pair *p, unsigned i, const struct calc_offer *mine,
                    struct calc_offer *other);

/* calc_pair_leave marks half i as left: it will not call calc_pair_meet any more. Any thread, any
 * number of calls. */
void calc_pair_leave(struct calc_pair *p, unsigned i);
bool calc_pair_is_gone(const struct calc_pair *p, unsigned i);

/* calc_pair_keep registers that memory of s (SLOT_SHARE, SLOT_LENT) is offered: it is then not
 * released. calc_pair_forget allows its release again, once both halves have ended. */
void calc_pair_keep(struct calc_pair *p, unsigned i, struct context *s);
void calc_pair_forget(struct calc_pair *p);

#endif
