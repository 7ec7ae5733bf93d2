/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Two devices that compute one composite operation together, each in its own thread. Both devices
 * compute all of the operation, with two exceptions: each device computes only one half of a long
 * product (lib/calc/calc_half.h), and uploads only one half of a long operand
 * (lib/calc/calc_broadcast.h). After such a half, the two threads wait for each other, and each
 * device copies the other device's half (calc_shard_exchange). So both devices have all numbers,
 * and each device checks all of its numbers. */
#ifndef MPGPU_CALC_SHARD_H
#define MPGPU_CALC_SHARD_H

#include <stdatomic.h>
#include <stdbool.h>

#include "lib/device/number.h"
#include "lib/process/event.h"

enum { CALC_HALVES = 2 };

/* Memory that a device offers to the other device for copying. It stays valid during the next call
 * of calc_shard_exchange, and until the call after that. */
struct calc_offer {
    gpu_device_impl *device;
    struct number x;
};

struct calc_shard {
    uint64_t least;     /* products of at least this many words are computed by both devices, a half
                         * each */
    uint64_t broadcast; /* operands of at least this many words are uploaded by both devices, a half
                         * each */
    struct calc_shard_half {
        struct event meetings; /* counts the calls of calc_shard_exchange */
        atomic_bool is_gone;
        struct calc_offer offer[2];     /* used alternately */
        struct context *_Atomic keeper; /* owner of the offered memory (calc_shard_forget) */
    } half[CALC_HALVES];
};

/* Initialises the pair. Call it before both halves begin. */
void calc_shard_begin(struct calc_shard *p, uint64_t least, uint64_t broadcast);

/* Called for device i: offers `mine`, which must be complete, to the other device, and waits for
 * the other device's offer. Returns true, and sets *other to that offer. Returns false if one of
 * the two devices has left the operation (calc_shard_leave), or a far job is over. */
bool calc_shard_exchange(struct calc_shard *p, unsigned i, const struct calc_offer *mine,
                         struct calc_offer *other);

/* calc_shard_leave records that device i has left the operation, and will not call
 * calc_shard_exchange any more. Any thread, any number of calls. */
void calc_shard_leave(struct calc_shard *p, unsigned i);
bool calc_shard_is_gone(const struct calc_shard *p, unsigned i);

/* calc_shard_keep registers that device i offers memory of s (SLOT_SHARD, SLOT_BROADCAST) to the
 * other device, so that the memory is not released. calc_shard_forget allows its release again,
 * once both halves have ended. */
void calc_shard_keep(struct calc_shard *p, unsigned i, struct context *s);
void calc_shard_forget(struct calc_shard *p);

#endif
