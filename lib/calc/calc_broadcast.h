/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies between two devices that compute one composite operation (lib/calc/calc_shard.h). Each
 * device computes one half of a product, and uploads one half of a long operand by its own link.
 * Then each copies the other's half. */
#ifndef MPGPU_CALC_BROADCAST_H
#define MPGPU_CALC_BROADCAST_H

#include "lib/calc/calc.h"
#include "lib/calc/calc_shard.h"

/* Offers the number `mine`, which must be complete, for reading by the other device. Waits for
 * the other device's offer, and sets *other to it. `theirs` is the place and length that this
 * device expects in the offer. If the offer differs, the two devices have diverged: this device
 * leaves the common operation (sets c->is_alone). */
void calc_exchange_offers(struct calc *c, struct number mine, struct number theirs,
                          struct calc_offer *other);

/* Does what calc_exchange_offers does, then copies the other device's number to x. */
void calc_exchange(struct calc *c, struct number x, struct number mine, struct number theirs);

/* Returns memory of `words` words for an operand, whose lowest `limbs` limbs are in host memory. If
 * two devices compute the operation and the operand is long, the second device copies from this
 * memory. So it stays until the operation's end, and must not be written again. */
struct number calc_broadcast_take(struct calc *c, uint64_t words, uint64_t limbs);

/* Allocates, after planning, the memory that calc_broadcast_take has planned, and memory for halves
 * of products. Returns GPU_ABSENT if no product is computed in halves. */
enum gpu_status calc_broadcast_alloc(struct calc *c);

/* Uploads x as calc_need does, for two devices. The threads of both devices must call it with the
 * same x in the same order. */
void calc_broadcast_need(struct calc *c, struct number x);

#endif
