/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs the steps of a product that several devices share. A step ends when all devices have ended
 * it. */
#ifndef MPGPU_PRODUCT_STEPS_H
#define MPGPU_PRODUCT_STEPS_H

#include "lib/base/outcome.h"
#include "lib/base/stats.h"
#include "lib/operate/shards/product_sum.h"
#include "lib/session/session.h"

struct shared {
    struct product_layout cut;
    unsigned device[SESSION_DEVICES];
    struct shard {
        struct shard_broadcast broadcast;
        struct shard_product product;
        struct product_sum sum;
        enum outcome outcome;
        struct stats_times times;
    } shard[PRODUCT_SHARDS];
};

/* A thread that waits for the end of a step spins PRODUCT_SPIN_TIMES times as long as usual before
 * it sleeps (lib/process/executor.h). If it slept, waking it would cost some percent of the
 * product's time. */
enum { PRODUCT_SPIN_TIMES = 5 };

enum product_step { PRODUCT_BROADCAST, PRODUCT_MULTIPLY, PRODUCT_ADD };

/* Runs a step of all shards, each on its device and in its own thread. On failure, sets *device to
 * a device whose shard succeeded; leaves it unchanged if none did. */
enum outcome product_step(struct shared *s, enum product_step step, int *device);

/* Prepare the arguments of steps:
 * - product_steps_begin, before the first step: for the product {up, un} {vp, vn}. `peers` means
 *   that devices can copy from one another.
 * - product_steps_receive, after the step PRODUCT_BROADCAST: makes PRODUCT_MULTIPLY copy the
 *   uploaded parts
 * - product_steps_add, before the step PRODUCT_ADD: this step delivers the result to rp */
void product_steps_begin(struct shared *s, mp_limb_t *rp, const mp_limb_t *up, size_t un,
                         const mp_limb_t *vp, bool peers);
void product_steps_receive(struct shared *s);
void product_steps_add(struct shared *s, mp_limb_t *rp);

#endif
