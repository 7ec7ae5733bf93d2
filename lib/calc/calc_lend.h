/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What two devices that do one composite operation copy from one another (lib/calc/calc_pair.h):
 * halves of products, and of long operands, of which each brings a part by its own link. */
#ifndef MPGPU_CALC_LEND_H
#define MPGPU_CALC_LEND_H

#include "lib/calc/calc.h"
#include "lib/calc/calc_pair.h"

/* This device gives `mine`, which is done.  What the other gives has to lie where `theirs` does
 * here, in the other's memory. */
void calc_meet(struct calc *c, struct number mine, struct number theirs, struct calc_offer *other);

/* The same, and copies that to x. */
void calc_exchange(struct calc *c, struct number x, struct number mine, struct number theirs);

/* Room for an operand of `words` words with `limbs` limbs from host memory: where the other device
 * may copy from, if it is long.  It stays to the end, and is not written any more. */
struct number calc_lend_take(struct calc *c, uint64_t words, uint64_t limbs);

/* Once an operation is planned: that room, and that for halves of products.  GPU_ABSENT where no
 * product is made in halves. */
enum gpu_status calc_lend_room(struct calc *c);

/* calc_need of two devices, which come here with the same x in the same order. */
void calc_lend_need(struct calc *c, struct number x);

#endif
